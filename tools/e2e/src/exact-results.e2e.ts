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

/** What a double cannot hold, or would be written in another way. */
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
  ['a key twice inside', '{"content":[],"b":[{"a":1.0,"a":2.0}]}', '{"content":[],"b":[{"a":2}]}'],
  ['its type twice', '{"content":[],"resultType":"complete","resultType":"complete"}', '{"content":[]}'],
  ['a carriage return', '{"content":[],\r"a":1.0}', '{"content":[],"a":1}'],
  ['an envelope of 2026-07-28', '{"content":[],"a":1.0,"resultType":"complete"}', '{"content":[],"a":1}'],
];

/** Lines that would add to the envelope, or replace it. */
const injecting: readonly (readonly [string, string])[] = [
  ['a second result', '{"jsonrpc":"2.0","id":ID,"result":{"forged":1},"result":{"content":[]}}'],
  ['a second result and an end', '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"ok":false,"data":null}'],
  ['members behind a value', '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"data":1,"resultText":"{}"}'],
  ['a second result before its id', '{"result":{"forged":1},"result":{"content":[]},"jsonrpc":"2.0","id":ID}'],
];

const upstream = () => scripted({ tools: [tool('line')] }).server;
const configOf = (rest: object = {}) => ({
  mcpServers: { s: upstream(), gated: upstream() },
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

  it('a result that was shortened is not the one that came', async () => {
    const { text } = await call(idFirst('{"content":[{"type":"text","text":"abcdefgh"}],"n":1.0}'), {
      args: { text: idFirst('{"content":[{"type":"text","text":"a\\nb"}],"n":1.0}'), _limit_lines: 1 },
    });
    expect(text).not.toContain('1.0');
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
