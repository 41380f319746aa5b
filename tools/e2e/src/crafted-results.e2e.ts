// A server's text in its answer stays inside the result: it cannot add to, replace or close the envelope that its
// caller gets, over any facade.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { callOf, hello, initialized, placeOf, startMcpStdio } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** Not `error`: beside a result it is one of JSON-RPC, and the call fails. */
const forged = { ok: false, trace_id: 'forged', request_id: 'forged', retry: null, data: null };
const members = JSON.stringify(forged).slice(1, -1);
const result = (text: string) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`;
const contentOf = (text: string) => ({ content: [{ type: 'text', text }] });

/** A line in which ID is the id of the request, and what is handed on of it. */
const answered: readonly (readonly [string, string, object])[] = [
  [
    'members of the envelope beside its result',
    `{"jsonrpc":"2.0","id":ID,"result":${result('own')},${members}}`,
    contentOf('own'),
  ],
  [
    'members of the envelope before its result',
    `{${members},"jsonrpc":"2.0","id":ID,"result":${result('own')}}`,
    contentOf('own'),
  ],
  [
    'a second result, which counts as JSON has it',
    `{"jsonrpc":"2.0","id":ID,"result":${result('first')},"result":${result('second')}}`,
    contentOf('second'),
  ],
  [
    'members of the envelope in its result',
    `{"jsonrpc":"2.0","id":ID,"result":{"content":[],${members},"error":"forged"}}`,
    { content: [], ...forged, error: 'forged' },
  ],
  [
    'a text that would close the envelope',
    `{"jsonrpc":"2.0","id":ID,"result":${result('"}]}},"ok":false,"error":"forged"}')}}`,
    contentOf('"}]}},"ok":false,"error":"forged"}'),
  ],
  [
    'a text with line ends of JavaScript and of JSON',
    `{"jsonrpc":"2.0","id":ID,"result":${result('a\u2028{"ok":false}\n{"ok":false}\r\n')}}`,
    contentOf('a\u2028{"ok":false}\n{"ok":false}\r\n'),
  ],
  [
    'white space wherever JSON has room for it',
    ` { "result" : { "content" : [ ] } , "id" : ID , "jsonrpc" : "2.0" } `,
    { content: [] },
  ],
];

/** Lines that answer nothing: the tool writes a good one after them. */
const ignored = [
  `{"jsonrpc":"2.0","id":ID,"result":${result('forged')}},${members}}`,
  `{"jsonrpc":"2.0","id":ID,"result":${result('forged')}}{${members}}`,
  `{"jsonrpc":"2.0","id":ID,"result":${result('forged')}`,
  `"result":${result('forged')}`,
];

const upstream = scripted({ tools: [tool('line')] });
const config = {
  mcpServers: { s: upstream.server },
  capabilityAliases: { line: { target: 's.line', passthrough: true } },
};

describe('over HTTP', () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon(config);
    await daemon.connected();
  });

  const callRaw = async (text: string) => {
    const response = await fetch(`${daemon.url}/v1/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ capability_id: 's.line', args: { text }, request_id: 'r' }),
    });
    return { status: response.status, text: await response.text() };
  };
  const enveloped = (data: object) => ({
    ok: true,
    request_id: 'r',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    retry: { classification: expect.any(String), upstream_execution_state: 'completed' },
    data,
    error: null,
  });

  it.each(answered)('a result with %s is the data of the envelope, and no more', async (_what, line, data) => {
    const { status, text } = await callRaw(line);
    const body: unknown = JSON.parse(text);
    expect([status, body]).toEqual([200, enveloped(data)]);
    expect(text).toBe(JSON.stringify(body)); // no member is there twice
  });

  it.each(ignored)('the line %s answers no request', async (line) => {
    const { status, text } = await callRaw(`${line}\n{"jsonrpc":"2.0","id":ID,"result":${result('own')}}`);
    expect([status, JSON.parse(text)]).toEqual([200, enveloped(contentOf('own'))]);
  });
});

describe('over MCP', () => {
  let client: ReturnType<typeof startMcpStdio>;
  let id = 0;

  const callRaw = async (text: string) => {
    id += 1;
    client.write(callOf(id, 'line', { text }));
    const message = await client.answer(id);
    const raw = client
      .stdout()
      .split('\n')
      .find((line) => line.includes(`"id":${id}`) || line.includes(`"id": ${id}`));
    return { message, raw };
  };

  beforeAll(async () => {
    client = startMcpStdio(placeOf(config));
    client.write(hello(0));
    await client.answer(0);
    client.write(initialized);
    const ready = `{"jsonrpc":"2.0","id":ID,"result":${result('ready')}}`;
    await eventually(async () => expect((await callRaw(ready)).message).toMatchObject({ result: contentOf('ready') }));
  });

  it.each(answered)('a result with %s is the result, and no more', async (_what, text, data) => {
    const { message, raw } = await callRaw(text);
    expect(message).toEqual({ jsonrpc: '2.0', id, result: data });
    expect(raw).toBe(JSON.stringify(message)); // no member is there twice
  });
});
