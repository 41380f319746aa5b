// The numbers of arguments arrive as their caller wrote them, over every face, at once and after an approval, also one with
// other arguments; and two calls
// that differ only in digits that a double cannot hold are two calls.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatedEnvelope } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { hello, initialized, modernRequest, placeOf, startMcpHttp, startMcpStdio } from './support/mcp.js';
import { startReceiver } from './support/receiver.js';
import { runCli } from './support/terminal.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const exact = '{"id":1098765432109876543,"one":1.0,"zero":-0.0,"far":1e400,"in":[[0.10e-6,{"a":1E2}]]}';

function setUp(policy: object = {}) {
  const upstream = scripted({ tools: [tool('a')] });
  const config = {
    mcpServers: { s: upstream.server, gated: upstream.server },
    capabilityAliases: { a: { target: 's.a', passthrough: true } },
    policy: { requireApproval: ['gated.a'], redactKeys: ['password'], ...policy },
  };
  return { upstream, config };
}

const post = async (url: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

/** Puts arguments in their own text in the place of `"ARGS"`. */
const withArgs = (message: object, args: string) => JSON.stringify(message).replace('"ARGS"', () => args);

const call = ({ url }: Daemon, args: string, rest: object = {}, headers = {}) =>
  post(`${url}/v1/tools/call`, withArgs({ capability_id: 's.a', args: 'ARGS', ...rest }, args), headers);

/** Opens a ticket for a call of `gated.a` with arguments in their own text. Gives its id. */
async function openTicket(daemon: Daemon, args: string): Promise<string> {
  const { status, text } = await call(daemon, args, { capability_id: 'gated.a' });
  expect(status).toBe(202);
  return (JSON.parse(text) as GatedEnvelope).error.approval_id;
}

async function started(policy: object = {}) {
  const { upstream, config } = setUp(policy);
  const daemon = await startDaemon(config);
  await daemon.connected();
  return { upstream, daemon };
}

describe('over HTTP', () => {
  it('numbers arrive as they were written, also beside modifiers, and in the record', async () => {
    const { upstream, daemon } = await started();
    expect((await call(daemon, exact)).status).toBe(200);
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
    await call(daemon, '{"_limit_lines":5,"password":"p","id":2098765432109876543}');
    expect(upstream.lines()).toContain('"arguments":{"password":"p","id":2098765432109876543}');
    const shown = await fetch(`${daemon.url}/v1/audit/events?event_type=tool_call`).then((answer) => answer.text());
    expect(shown).toContain('"id":2098765432109876543');
    const [{ id } = { id: '' }] = (JSON.parse(shown) as { events: readonly { id: string }[] }).events;
    const one = await fetch(`${daemon.url}/v1/audit/events/${id}`).then((answer) => answer.text());
    expect(one).toContain('"id":2098765432109876543');
    const report = await fetch(`${daemon.url}/v1/audit/verify`).then((answer) => answer.text());
    expect(JSON.parse(report)).toMatchObject({ report: { is_valid: true } });
  });

  it('numbers of a step of a batch and of a task arrive as they were written', async () => {
    const { upstream, daemon } = await started();
    const steps = [{ id: 'one', capability_id: 's.a', args: 'ARGS' }];
    await post(`${daemon.url}/v1/tools/batch_call`, withArgs({ steps }, exact));
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
    await call(daemon, '{"id":2098765432109876543}', {}, { Prefer: 'respond-async' });
    await eventually(() => expect(upstream.lines()).toContain('"arguments":{"id":2098765432109876543}'));
  });

  it('calls under one key that differ only beyond 2^53 are two calls', async () => {
    const { upstream, daemon } = await started();
    const key = { idempotency_key: 'k' };
    expect((await call(daemon, '{"id":1098765432109876543}', key)).status).toBe(200);
    expect((await call(daemon, '{"id":1098765432109876544}', key)).text).toContain('was used for another request');
    const repeat = await call(daemon, '{ "id" : 1098765432109876543 }', key);
    expect(repeat.headers.get('x-service-deduplicated')).toBe('true');
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('numbers that a double holds are one call, however they are written', async () => {
    const { upstream, daemon } = await started();
    const key = { idempotency_key: 'k' };
    for (const args of ['{"n":1,"z":0,"f":100}', '{"n":1.0,"z":-0.0,"f":1E2}'])
      expect((await call(daemon, args, key)).status).toBe(200);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('an approved call sends the numbers that were shown', async () => {
    const { upstream, daemon } = await started();
    const id = await openTicket(daemon, exact);
    for (const path of ['', `/${id}`]) {
      const shown = await fetch(`${daemon.url}/v1/approvals${path}`).then((answer) => answer.text());
      expect(shown).toContain(`"sanitized_args":${exact}`);
    }
    await post(`${daemon.url}/v1/approvals/${id}/approve`, '{"operator":"ada"}');
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
  });

  it('a call that is approved with other arguments sends their numbers, and its record has all of their digits', async () => {
    const receiver = await startReceiver();
    const { upstream, daemon } = await started({ webhook: { url: receiver.url } });
    const id = await openTicket(daemon, '{"id":1098765432109876544}');
    const decided = await post(
      `${daemon.url}/v1/approvals/${id}/approve`,
      withArgs({ operator: 'ada', modified_args: 'ARGS' }, exact),
    );
    expect(decided.text).toContain(`"modified_args":${exact}`);
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
    const ticket = await fetch(`${daemon.url}/v1/approvals/${id}`).then((answer) => answer.text());
    expect(ticket).toContain(`"modified_args":${exact}`);
    await eventually(() => {
      const [, approved] = receiver.deliveries.map(({ raw }) => String(raw));
      expect(approved).toContain(`"modified_args":${exact}`);
    });
    const records = await fetch(`${daemon.url}/v1/audit/events?event_type=tool_call`).then((answer) => answer.text());
    expect(records).toContain(
      '"sanitized_args":{"far":1e+400,"id":1098765432109876543,"in":[[1e-7,{"a":100}]],"one":1,"zero":0}',
    );
  });

  it('any number arrives as it was written', async () => {
    const { upstream, daemon } = await started();
    const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits(25),
        fc.option(digits(25)),
        fc.option(fc.integer({ min: -500, max: 500 })),
      )
      .map(([sign, whole, fraction, exponent]) => {
        const head = `${sign}${whole.replace(/^0+(?=\d)/, '')}`;
        return `${head}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`;
      });
    const { text } = fc.letrec((tie) => ({
      text: fc.oneof({ maxDepth: 4 }, number, tie('list'), tie('object')),
      list: fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
      object: fc
        .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), tie('text')), {
          maxLength: 4,
          selector: ([key]) => key,
        })
        .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join()}}`),
    }));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect((await call(daemon, `{"v":${value}}`)).status).toBe(200);
        expect(upstream.lines().endsWith('\n')).toBe(true);
        const last = upstream.lines().trimEnd().split('\n').at(-1);
        expect(last).toContain(`"arguments":{"v":${value}}`);
      }),
      { numRuns: 200 },
    );
  });
});

describe('from the command', () => {
  it('numbers of a call arrive as they were typed', async () => {
    const { upstream, daemon } = await started();
    const words = ['id:=1098765432109876543', 'one:=1.0', 'zero:=-0.0', '{"far":1e400,"in":[[0.10e-6,{"a":1E2}]]}'];
    expect(await runCli(['call', 's.a', ...words, '--url', daemon.url])).toMatchObject({ code: 0 });
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
  });

  it('numbers of an approval with other arguments arrive as they were typed, and are printed so', async () => {
    const { upstream, daemon } = await started();
    const id = await openTicket(daemon, '{"id":1098765432109876544}');
    const shown = await runCli(['approvals', 'show', id, '--json', '--url', daemon.url]);
    expect(shown.stdout).toContain('"id": 1098765432109876544');
    const decided = await runCli(['approvals', 'approve', id, exact, '--url', daemon.url]);
    expect(decided).toMatchObject({ code: 0 });
    expect(decided.stdout).toContain('"id": 1098765432109876543');
    expect(upstream.lines()).toContain(`"arguments":${exact}`);
  });
});

describe.each(['legacy', 'modern'] as const)('over MCP, from a client of the %s era', (era) => {
  const messages = (id: number, args: string) => {
    const params = { name: 'a', arguments: 'ARGS' };
    const { body, headers } = modernRequest(id, 'tools/call', params);
    const message = era === 'modern' ? body : { jsonrpc: '2.0', id, method: 'tools/call', params };
    return { line: withArgs(message, args), headers };
  };

  it('numbers arrive over stdio', async () => {
    const { upstream, config } = setUp();
    const client = startMcpStdio(placeOf(config));
    if (era === 'legacy') {
      client.write(hello(1000));
      await client.answer(1000);
      client.write(initialized);
    }
    let id = 0;
    await eventually(async () => {
      id += 1;
      client.write(messages(id, exact).line);
      await client.answer(id);
      expect(upstream.lines()).toContain(`"arguments":${exact}`);
    });
    for (const line of upstream
      .lines()
      .split('\n')
      .filter((each) => each.includes('"tools/call"')))
      expect(line).toContain(`"arguments":${exact}`);
  });

  it('numbers arrive through what the SDK reads, and through capability_call', async () => {
    const { upstream, config } = setUp();
    const client = startMcpStdio(placeOf(config));
    if (era === 'legacy') {
      client.write(hello(1000));
      await client.answer(1000);
      client.write(initialized);
    }
    const ask = async (id: number, params: object) => {
      const { body } = modernRequest(id, 'tools/call', { ...params });
      const _meta = { 'io.modelcontextprotocol/other': 1 };
      const message =
        era === 'modern'
          ? { ...body, params: { ...body.params, _meta: { ...body.params._meta, ..._meta } } }
          : { jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, _meta } };
      client.write(withArgs(message, exact));
      await client.answer(id);
    };
    let id = 0;
    await eventually(async () => {
      id += 1;
      await ask(id, { name: 'a', arguments: 'ARGS' });
      expect(upstream.lines()).toContain('"tools/call"');
    });
    await ask(id + 1, { name: 'capability_call', arguments: { capability_id: 's.a', args: 'ARGS' } });
    const lines = upstream
      .lines()
      .split('\n')
      .filter((each) => each.includes('"tools/call"'));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toContain(`"arguments":${exact}`);
  });

  it('numbers arrive over HTTP', async () => {
    const { upstream, config } = setUp();
    const { url } = await startMcpHttp(config);
    let own: Readonly<Record<string, string>> = {};
    if (era === 'legacy') {
      const { headers } = await post(url, JSON.stringify(hello(0)));
      own = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
      await post(url, JSON.stringify(initialized), own);
    }
    let id = 0;
    await eventually(async () => {
      id += 1;
      const { line, headers } = messages(id, exact);
      await post(url, line, era === 'modern' ? headers : own);
      expect(upstream.lines()).toContain('"tools/call"');
    });
    for (const line of upstream
      .lines()
      .split('\n')
      .filter((each) => each.includes('"tools/call"')))
      expect(line).toContain(`"arguments":${exact}`);
  });
});
