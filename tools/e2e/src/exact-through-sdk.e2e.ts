// The numbers of a result arrive as its server wrote them also where the MCP SDK writes the answer: resources and prompts,
// tasks, batches of 2025-03-26, and calls that only the SDK judges.
import { beforeAll, describe, expect, it } from 'vitest';
import { hello, initialized, modernRequest, placeOf, startMcpHttp, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const numbers = '{"id":1098765432109876543,"list":[1.0,{"far":1e400}],"zero":-0.0,"small":0.10e-6}';
/** A tool, a resource and a prompt can all be answered with it. */
const result = `{"content":[],"contents":[{"uri":"x:/line","text":"\\"1.0\\""}],"messages":[],"structuredContent":${numbers}}`;
const line = `{"jsonrpc":"2.0","id":ID,"result":${result}}`;

const configOf = (rest: object = {}) => ({
  mcpServers: {
    s: scripted({
      tools: [tool('line'), tool('job', { execution: { taskSupport: 'required' } })],
      resources: [{ uri: 'x:/line', name: 'line' }],
      prompts: [{ name: 'line' }],
      line,
    }).server,
  },
  mcpExposure: 'native',
  ...rest,
});

const post = async (url: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Client {
  /** Sends a request, and gives the line or the body of its answer. */
  ask(method: string, params: object): Promise<string>;
  /** Sends several in one body. */
  askAll?(messages: readonly { readonly method: string; readonly params: object }[]): Promise<string>;
}

type Era = 'legacy' | 'modern';
/** Unlike each other, so that each request of 2026-07-28 is the first with its `_meta`. */
const clientInfo = () => ({ 'io.modelcontextprotocol/clientInfo': { name: crypto.randomUUID(), version: '1' } });

function requestOf(era: Era, id: number, method: string, params: object) {
  const { body, headers } = modernRequest(id, method, { ...params }, tasks);
  return era === 'legacy'
    ? { body: { jsonrpc: '2.0', id, method, params }, headers: {} }
    : { body: { ...body, params: { ...body.params, _meta: { ...body.params._meta, ...clientInfo() } } }, headers };
}

async function overStdio(era: Era): Promise<Client> {
  const client = startMcpStdio(placeOf(configOf()));
  let id = 0;
  if (era === 'legacy') {
    client.write(hello(id));
    await client.answer(id);
    client.write(initialized);
  }
  return {
    async ask(method, params) {
      id += 1;
      client.write(requestOf(era, id, method, params).body);
      await client.answer(id);
      const lines = client.stdout().split('\n');
      return lines.find((each) => each.endsWith(`"id":${id}}`)) ?? '';
    },
  };
}

async function overHttp(era: Era, rest: object = {}): Promise<Client> {
  const { url } = await startMcpHttp(configOf(rest));
  let own: Readonly<Record<string, string>> = {};
  if (era === 'legacy') {
    const { headers } = await post(url, hello(0));
    own = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    await post(url, initialized, own);
  }
  let id = 0;
  return {
    async ask(method, params) {
      id += 1;
      const { body, headers } = requestOf(era, id, method, params);
      return (await post(url, body, { ...headers, ...own })).text;
    },
    askAll: async (messages) => {
      const batch = messages.map((message, at) => ({ jsonrpc: '2.0', id: at + 1, ...message }));
      return (await post(url, batch, own)).text;
    },
  };
}

const overStreams = (era: Era) => overHttp(era, { mcpHttpServer: { jsonResponse: false } });

describe.each([
  ['stdio', 'legacy', overStdio],
  ['stdio', 'modern', overStdio],
  ['HTTP', 'legacy', overHttp],
  ['HTTP', 'modern', overHttp],
  ['HTTP by streams', 'legacy', overStreams],
  ['HTTP by streams', 'modern', overStreams],
] as const)('over MCP at %s, to a client of the %s era', (_face, era, connect) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(era);
    await eventually(async () => expect(await client.ask('prompts/list', {})).toContain('s__line'));
  });

  it.each([
    ['a resource', 'resources/read', { uri: 'x:/line' }],
    ['a prompt', 'prompts/get', { name: 's__line' }],
    ['a call with a new _meta', 'tools/call', { name: 's__line' }],
  ])('%s has its numbers', async (_what, method, params) => {
    const text = await client.ask(method, params);
    expect(text).toContain(`"text":"\\"1.0\\""`);
    expect(text).toContain(`"structuredContent":${numbers}`);
  });
});

it.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
  ['HTTP by streams', overStreams],
] as const)('the result of a task has its numbers at %s', async (_face, connect) => {
  const client = await connect('modern');
  const taskId = await eventually(async () => {
    const [, id] = /"taskId":"([^"]+)"/.exec(await client.ask('tools/call', { name: 's__job' })) ?? [];
    if (id === undefined) throw new Error('no task yet');
    return id;
  });
  await eventually(async () =>
    expect(await client.ask('tasks/get', { taskId })).toContain(`"structuredContent":${numbers}`),
  );
});

it('the answers to a batch of 2025-03-26 have their numbers', async () => {
  const client = await overHttp('legacy');
  await eventually(async () => expect(await client.ask('prompts/list', {})).toContain('s__line'));
  const read = { method: 'resources/read', params: { uri: 'x:/line' } };
  const text = await client.askAll?.([read, { method: 'tools/call', params: { name: 's__line' } }]);
  expect(text?.split(`"structuredContent":${numbers}`)).toHaveLength(3);
});

it.each([
  ['a batch', `[{"jsonrpc":"2.0","method":"notifications/x"},${line}]`],
  ['a key twice', line.replace('"id":1098', '"id":1.0,"id":1098')],
  ['a key twice, and an envelope', line.replace('"messages"', '"resultType":"complete","messages":1.0,"messages"')],
])('%s of a server has the numbers that are looked at', async (_what, text) => {
  const client = await overHttp('legacy');
  const call = () => client.ask('tools/call', { name: 's__line', arguments: { text } });
  await eventually(async () => expect(await call()).toContain('structuredContent'));
  const [, written] = /"result":(\{.*\}),"jsonrpc"/.exec(await call()) ?? [];
  expect(written).toBe(result);
});
