// The numbers, escapes and spaces of a result arrive as its server wrote them, over every face, at once and later; and no
// line makes two readers of an answer see two values.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { hello, initialized, modernRequest, placeOf, startMcpHttp, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

/** Numbers that a double cannot hold, or would be written in another way. */
const exact = String.raw`{"content":[],"structuredContent":{"id":1098765432109876543,"one":1.0,"far":1e400,"zero":-0.0,"small":0.10e-6,"text":"\u0041\/\ud800","__proto__":{"a":[ ]} }}`;

const idFirst = (result: string) => `{"jsonrpc":"2.0","id":ID,"result":${result}}`;
const idLast = (result: string) => `{"result":${result},"jsonrpc":"2.0","id":ID}`;
const shapes = [
  ['its id before the result', idFirst],
  ['its id behind the result', idLast],
] as const;

/** Results that are written again from their values, and how: readers could take them in two ways. */
const rewritten: readonly (readonly [string, string, string])[] = [
  ['a key twice', '{"content":[],"a":1,"a":2}', '{"content":[],"a":2}'],
  ['a key twice in two spellings', String.raw`{"content":[],"a":1,"\u0061":2}`, '{"content":[],"a":2}'],
  ['a key twice inside', '{"content":[],"b":[{"a":1.0,"a":2.0}]}', '{"content":[],"b":[{"a":2.0}]}'],
  ['its type twice', '{"content":[],"resultType":"complete","resultType":"complete"}', '{"content":[]}'],
];

const complete = '"resultType":"complete"';
const serverInfo = '"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1.0"}';

/** Results of which something is left out or replaced, and what is left as it was written. */
const changed: readonly (readonly [string, string, string])[] = [
  ['a line end', '{"content":[],\r"a":1.0}', '{"content":[], "a":1.0}'],
  ['a type behind it', `{"content":[],"a":1.0,${complete}}`, '{"content":[],"a":1.0}'],
  ['a type before it', `{${complete},"a":1.0}`, '{"a":1.0}'],
  ['nothing but an envelope', `{${complete},"_meta":{${serverInfo}}}`, '{}'],
  ['an envelope behind it', `{"a":[1.0],${complete},"_meta":{${serverInfo}}}`, '{"a":[1.0]}'],
  ['an envelope before it', `{"_meta":{${serverInfo}},${complete},"a":1.0}`, '{"a":1.0}'],
  ['an envelope around it', `{${complete},"a":1.0,"_meta":{${serverInfo}}}`, '{"a":1.0}'],
  ['an envelope inside it', `{"a":1.0,${complete},"b":-0.0}`, '{"a":1.0,"b":-0.0}'],
  ['an envelope with spaces', `{ "a" : 1.0 , "resultType" : "complete" }`, '{"a":1.0}'],
  ['what looks like an envelope', `{"a":{"x":1.0,${complete}},${complete}}`, `{"a":{"x":1.0,${complete}}}`],
  ['a _meta of more', `{"a":1.0,${complete},"_meta":{"b":1e400,${serverInfo}}}`, '{"a":1.0,"_meta":{"b":1e400}}'],
];

/** Lines that would add to the envelope, or replace it. */
const injecting: readonly (readonly [string, string])[] = [
  ['a second result', '{"jsonrpc":"2.0","id":ID,"result":{"forged":1},"result":{"content":[]}}'],
  ['a second result and an end', '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"ok":false,"data":null}'],
  ['members behind a value', '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"data":1,"resultText":"{}"}'],
  ['a second result before its id', '{"result":{"forged":1},"result":{"content":[]},"jsonrpc":"2.0","id":ID}'],
];

const upstream = () => scripted({ tools: [tool('line')] }).server;
const echo = scripted({ tools: [tool('line')] });
const configOf = (rest: object = {}) => ({
  mcpServers: { s: upstream(), gated: upstream(), echo: echo.server },
  capabilityAliases: { line: { target: 's.line', passthrough: true } },
  policy: { requireApproval: ['gated.line'] },
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

const dataIn = (text: string): string | undefined => /"data":(.*),"error":null\}/.exec(text)?.[1];

describe('over HTTP', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon(configOf());
    await daemon.connected();
  });

  const call = (text: string, rest: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    post(`${daemon.url}/v1/tools/call`, { capability_id: 's.line', args: { text }, ...rest }, headers);

  it.each(shapes)('a result is passed on to the byte, of a reply with %s', async (_what, line) => {
    const { status, text } = await call(line(exact), { request_id: '","data":{}', context: { actor_id: '"data":' } });
    expect([status, dataIn(text)]).toEqual([200, exact]);
    expect(JSON.parse(text)).toMatchObject({ ok: true, request_id: '","data":{}', context: { actor_id: '"data":' } });
  });

  it.each(rewritten)('a result with %s is written again from its value', async (_what, result, written) => {
    for (const line of [idFirst(result), idLast(result)]) {
      const { status, text } = await call(line);
      expect([status, dataIn(text)]).toEqual([200, written]);
    }
  });

  it.each(injecting)('%s adds nothing to the answer', async (_what, line) => {
    const { status, text } = await call(line);
    expect([status, dataIn(text)]).toEqual([200, '{"content":[]}']);
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each(changed)('a result with %s keeps the numbers of what is left', async (_what, result, left) => {
    for (const line of [idFirst(result), idLast(result)]) {
      const { status, text } = await call(line);
      expect([status, dataIn(text)]).toEqual([200, left]);
    }
  });

  it.each([
    ['a space behind each colon', (result: string) => `{"jsonrpc": "2.0", "id": ID, "result": ${result}}`],
    ['other members', (result: string) => `{"result":${result},"more":1,"id":ID,"jsonrpc":"2.0"}`],
    ['its id in between', (result: string) => `{"id":ID,"result":${result},"jsonrpc":"2.0"}`],
  ])('a result is passed on to the byte, of a reply with %s', async (_what, line) => {
    const { status, text } = await call(line(exact));
    expect([status, dataIn(text)]).toEqual([200, exact]);
  });

  const big = '1098765432109876543';
  const rows = `{"content":[{"type":"text","text":"a\\nb"}],"structuredContent":{"rows":[{"id":${big},"x":1.0},{"id":-0.0}]}}`;

  it.each([
    [{ _limit_lines: 1 }, rows.replace('a\\nb', 'a\\n[… 1 more lines]')],
    [{ _jsonpath: '$.structuredContent.rows[0].id' }, big],
    [{ _jsonpath: '$.structuredContent.rows[0]' }, `{"id":${big},"x":1.0}`],
    [{ _jsonpath: '$..id' }, `[${big},-0.0]`],
    [{ _jsonpath: '$.structuredContent.rows[*].*' }, `[${big},1.0,-0.0]`],
    [{ _jsonpath: '$.structuredContent.rows[?@.x == 1].id' }, `[${big}]`],
    [{ _jsonpath: '$.structuredContent.rows[-1:]' }, '[{"id":-0.0}]'],
  ])('numbers of a result that is shortened by %j keep their texts', async (modifier, shortened) => {
    const { text } = await call('', { args: { text: idFirst(rows), ...modifier } });
    expect(dataIn(text)).toBe(shortened);
  });

  it('a query finds numbers of JSON in a text as they were written', async () => {
    const json = JSON.stringify(`{"ids":[${big},1.0]}`);
    const { text } = await call('', {
      args: { text: idFirst(`{"content":[{"type":"text","text":${json}}]}`), _jsonpath: '$.structuredContent.ids' },
    });
    expect(dataIn(text)).toBe(`[${big},1.0]`);
  });

  it('a result that is cut to some bytes has no more of them for its numbers', async () => {
    const numbers = `{"content":[{"type":"text","text":"${'x'.repeat(200)}"}],"structuredContent":{"n":[${'1.0,'.repeat(9)}1e400]}}`;
    const { text } = await call('', { args: { text: idFirst(numbers), _truncate_bytes: 150 } });
    expect(dataIn(text)).toContain('1.0,1e400]');
    expect(dataIn(text)?.length).toBeLessThanOrEqual(150);
  });

  it('numbers of a batch are in its answer as they were written, and reach later steps', async () => {
    const { text } = await post(`${daemon.url}/v1/tools/batch_call`, {
      steps: [
        { id: 'a', capability_id: 's.line', args: { text: idFirst(rows) } },
        {
          id: 'b',
          capability_id: 'echo.line',
          args: {
            text: idFirst('{"content":[]}'),
            id: '$a.structuredContent.rows[0].id',
            row: '$a.structuredContent.rows[0]',
            list: ['$a.rows[1].id', 'id ${a.structuredContent.rows[0].id}, ${a.structuredContent.rows[0]}'],
          },
        },
      ],
    });
    expect(text).toContain(`"data":${rows}`);
    const sent = echo.lines().trimEnd().split('\n').at(-1);
    expect(sent).toContain(`"id":${big},"row":{"id":${big},"x":1.0},"list":[`);
    expect(sent).toContain(`"id ${big}, {\\"id\\":${big},\\"x\\":1.0}"`);
  });

  it('a result of a megabyte is passed on to the byte, pairs of surrogates and all', async () => {
    const large = `{"content":[],"structuredContent":{"n":[${'1.0,'.repeat(20_000)}1.0],"text":"x${'😀é'.repeat(200_000)}"}}`;
    const { text } = await call(idFirst(large));
    expect(dataIn(text) === large).toBe(true);
  });
});

describe('later', () => {
  it('a repeat gets the very text, also after a restart', async () => {
    const config = configOf();
    const options = { stateDir: tempFolder() };
    const first = await startDaemon(config, options);
    await first.connected();
    const request = { capability_id: 's.line', args: { text: idFirst(exact) }, idempotency_key: 'k' };
    const call = ({ url }: Daemon) => post(`${url}/v1/tools/call`, request);
    const answered = await call(first);
    const repeated = await call(first);
    await first.stop();
    const second = await startDaemon(config, options);
    await second.connected();
    const restarted = await call(second);
    expect(dataIn(answered.text)).toBe(exact);
    expect([repeated.text, restarted.text]).toEqual([answered.text, answered.text]);
    expect(restarted.headers.get('x-service-deduplicated')).toBe('true');
  });

  it('an approved call gives its caller the text, and its ticket shows it', async () => {
    const daemon = await startDaemon(configOf());
    await daemon.connected();
    const approvals = approvalsOf(daemon);
    const request = { capability_id: 'gated.line', args: { text: idLast(exact) }, idempotency_key: 'k' };
    const waiting = post(`${daemon.url}/v1/tools/call`, request, { Prefer: 'wait=30' });
    const ticket = await eventually(async () => {
      const [opened] = (await approvals.list()).body.approvals;
      if (opened === undefined) throw new Error('no ticket yet');
      return opened;
    });
    const decided = await post(`${daemon.url}/v1/approvals/${ticket.id}/approve`, { operator: 'ada' });
    const shown = await fetch(`${daemon.url}/v1/approvals/${ticket.id}`).then((answer) => answer.text());
    const repeated = await post(`${daemon.url}/v1/tools/call`, request);
    for (const { text } of [await waiting, repeated]) expect(dataIn(text)).toBe(exact);
    const record = await fetch(`${daemon.url}/v1/idempotency/records/k`).then((answer) => answer.text());
    for (const text of [decided.text, shown, record]) expect(text).toContain(exact);
  });

  it('a task shows the text', async () => {
    const daemon = await startDaemon(configOf());
    await daemon.connected();
    const request = { capability_id: 's.line', args: { text: idLast(exact) } };
    const begun = await daemon.post<Envelope<{ readonly task: { readonly task_id: string } }>>(
      '/v1/tools/call',
      request,
      {
        Prefer: 'respond-async',
      },
    );
    const { task_id } = begun.body.data.task;
    await eventually(async () => {
      const shown = await fetch(`${daemon.url}/v1/tasks/${task_id}`).then((answer) => answer.text());
      expect(shown).toContain(exact);
    });
  });
});

describe.each(['legacy', 'modern'] as const)('over MCP, to a client of the %s era', (era) => {
  /** Sends a request, and gives the line or the body of its answer. */
  type Ask = (id: number, method: string, params: object) => Promise<string>;

  async function overStdio(): Promise<Ask> {
    const client = startMcpStdio(placeOf(configOf()));
    const ask: Ask = async (id, method, params) => {
      client.write(
        era === 'modern' ? modernRequest(id, method, { ...params }).body : { jsonrpc: '2.0', id, method, params },
      );
      await client.answer(id);
      return (
        client
          .stdout()
          .split('\n')
          .find((line) => line.endsWith(`"id":${id}}`)) ?? ''
      );
    };
    if (era === 'legacy') {
      client.write(hello(0));
      await client.answer(0);
      client.write(initialized);
    }
    return ask;
  }

  async function overHttp(): Promise<Ask> {
    const { url } = await startMcpHttp(configOf());
    if (era === 'modern') {
      return async (id, method, params) => {
        const { body, headers } = modernRequest(id, method, { ...params });
        return (await post(url, body, headers)).text;
      };
    }
    const { headers } = await post(url, hello(0));
    const own = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    await post(url, initialized, own);
    return async (id, method, params) => (await post(url, { jsonrpc: '2.0', id, method, params }, own)).text;
  }

  const modernMembers = era === 'modern' ? ',"resultType":"complete","_meta":{' : '';

  describe.each([
    ['stdio', overStdio],
    ['HTTP', overHttp],
  ] as const)('at %s', (_face, connect) => {
    let ask: Ask;
    let id = 0;
    const call = (name: string, args: object) => {
      id += 1;
      return ask(id, 'tools/call', { name, arguments: args });
    };
    beforeAll(async () => {
      ask = await connect();
      await eventually(async () => {
        id += 1;
        expect(await ask(id, 'tools/list', {})).toContain('"line"');
        expect(await call('line', { text: idFirst('{"content":[],"isReady":true}') })).toContain('isReady');
      });
    });

    it.each(shapes)('a tool gives its result to the byte, of a reply with %s', async (_what, line) => {
      const text = await call('line', { text: line(exact) });
      expect(text).toContain(`{"result":${exact.slice(0, -1)}${modernMembers}`);
    });

    it('an empty result stays one', async () => {
      const text = await call('line', { text: idFirst('{ }') });
      expect(JSON.parse(text)).toMatchObject({ id, result: era === 'modern' ? { resultType: 'complete' } : {} });
    });

    it.each(rewritten)('a result with %s is written again from its value', async (_what, result, written) => {
      const text = await call('line', { text: idFirst(result) });
      expect(text).toContain(`{"result":${written.slice(0, -1)}${modernMembers}`);
    });

    it.each(changed)('a result with %s keeps the numbers of what is left', async (_what, result, left) => {
      const text = await call('line', { text: idFirst(result) });
      expect(text).toContain(`{"result":${left.replace(/\}+$/, '')}`); // its envelope of this era is behind it, or in its _meta
    });

    it.each(injecting)('%s adds nothing to the answer', async (_what, line) => {
      const text = await call('line', { text: line });
      expect(text).toContain(`{"result":{"content":[]${modernMembers}`);
      expect(text).toBe(JSON.stringify(JSON.parse(text)));
    });

    it('capability_call gives it as structured content and as text', async () => {
      const text = await call('capability_call', { capability_id: 's.line', args: { text: idFirst(exact) } });
      const inText = JSON.stringify(`"data":${exact},"error":null}`).slice(1, -1);
      expect(text).toContain(`"data":${exact},"error":null}`);
      expect(text).toContain(inText);
    });

    it('capability_call gives it to a repeat', async () => {
      const args = { capability_id: 's.line', args: { text: idFirst(exact) }, idempotency_key: 'k' };
      expect(dataIn(await call('capability_call', args))).toContain(exact);
      expect(await call('capability_call', args)).toContain(`"data":${exact},"error":null}`);
    });
  });
});

describe('over MCP, where every answer is a stream', () => {
  it('a tool gives its result to the byte, to the first call of a session and to each call of 2026-07-28 but its first', async () => {
    const { url } = await startMcpHttp(configOf({ mcpHttpServer: { jsonResponse: false } }));
    const params = { name: 'line', arguments: { text: idFirst(exact) } };
    const modern = () => {
      const { body, headers } = modernRequest(1, 'tools/call', params);
      return post(url, body, headers);
    };
    await eventually(async () => expect((await modern()).text).toContain('1098765432109876'));
    const begun = await post(url, hello(0));
    const own = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    await post(url, initialized, own);
    const answers = [await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, own), await modern()];
    for (const { headers, text } of answers) {
      expect(headers.get('content-type')).toBe('text/event-stream');
      expect(text).toContain(`data: {"result":${exact.slice(0, -1)}`);
    }
  });
});
