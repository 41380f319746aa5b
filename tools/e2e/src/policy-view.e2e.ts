// Policy hides entries from lists, searches and descriptions, in each profile, and digests follow it.
import { beforeAll, describe, expect, it } from 'vitest';
import { brief } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const strict = { inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } };

const hidden = {
  tools: [tool('hidden', { ...strict, description: 'Buries treasure' })],
  resources: [{ uri: 'book://hidden', name: 'hidden' }],
  prompts: [{ name: 'hidden_prompt', arguments: [{ name: 'who', required: true }] }],
};

const shown = {
  tools: [tool('shown', { description: 'Shows treasure', annotations: { readOnlyHint: true } })],
  resources: [{ uri: 'book://shown', name: 'shown' }],
  prompts: [{ name: 'shown_prompt' }],
};

const both = {
  tools: [...hidden.tools, ...shown.tools],
  resources: [...hidden.resources, ...shown.resources],
  prompts: [...hidden.prompts, ...shown.prompts],
};

/** Every request that names something: its answer is what a prober of ids sees. */
const probes: readonly (readonly [string, (daemon: Daemon) => Promise<{ status: number; body: Envelope<unknown> }>])[] =
  [
    ['a call', (daemon) => daemon.call('s.hidden', { n: 1 })],
    ['a call with wrong arguments', (daemon) => daemon.call('s.hidden', { n: 'x' })],
    ['a call by alias', (daemon) => daemon.call('concealed')],
    ['a description', (daemon) => daemon.get('/v1/capabilities/s.hidden')],
    ['a description by alias', (daemon) => daemon.get('/v1/capabilities/concealed')],
    ['a read', (daemon) => daemon.post('/v1/resources/read', { resource_id: 's.book://hidden' })],
    ['a prompt', (daemon) => daemon.post('/v1/prompts/get', { prompt_id: 's.hidden_prompt' })],
    [
      'a completion',
      (daemon) =>
        daemon.post('/v1/completion/complete', {
          ref_type: 'prompt',
          ref_name: 's.hidden_prompt',
          argument_name: 'who',
        }),
    ],
    [
      'a batch',
      (daemon) => daemon.post('/v1/tools/batch_call', { steps: [{ id: 'a', capability_id: 's.hidden', args: {} }] }),
    ],
  ];

describe('what allow does not cover', () => {
  let covering: Daemon;
  let lacking: Daemon;
  let upstream: Scripted;

  beforeAll(async () => {
    const policy = { allow: ['s.*shown*'] };
    const capabilityAliases = { concealed: 's.hidden' };
    upstream = scripted(both);
    covering = await startDaemon({ mcpServers: { s: upstream.server }, capabilityAliases, policy });
    lacking = await startDaemon({ mcpServers: { s: scripted(shown).server }, capabilityAliases, policy });
    await Promise.all([covering.connected(), lacking.connected()]);
  });

  it.each(probes)(
    'answers %s exactly as what does not exist [policy-allow-deny] [error-tool-not-found-policy]',
    async (_, probe) => {
      const comparable = async (daemon: Daemon) => {
        const { status, body } = await probe(daemon);
        const { trace_id, total_duration_us, results, ...rest } = body as Envelope & {
          total_duration_us?: number;
          results?: { duration_us: number }[];
        };
        expect(trace_id === undefined || /^[0-9a-f]{32}$/.test(trace_id)).toBe(true);
        return { status, ...rest, results: results?.map(({ duration_us, ...step }) => step) };
      };
      const answer = await comparable(covering);
      expect(answer).toEqual(await comparable(lacking));
      expect(answer.status === 404 || answer.results?.length === 1).toBe(true);
    },
  );

  it('contacts nothing, and has the same digest as a catalog without it [policy-execution-time]', async () => {
    for (const [, probe] of probes) await probe(covering);
    expect(upstream.received().filter(({ method }) => /call|read|get|complete/.test(method))).toEqual([]);
    for (const name of ['capabilities', 'resources', 'prompts'] as const) {
      expect((await covering.list(name)).text).toBe((await lacking.list(name)).text);
    }
  });
});

describe('what a deny rule covers', () => {
  let daemon: Daemon;
  let upstream: Scripted;

  const denying = async () => {
    const denied = scripted(both);
    const started = await startDaemon({
      mcpServers: { s: { ...denied.server, resilience: { failureThreshold: 1 } } },
      capabilityAliases: { concealed: 's.hidden' },
      policy: { deny: ['s.*hidden*'] },
    });
    await started.connected();
    return { upstream: denied, daemon: started };
  };

  beforeAll(async () => {
    ({ upstream, daemon } = await denying());
  });

  it('is neither listed nor described [error-tool-not-found-policy] [policy-allow-deny]', async () => {
    expect(await daemon.ids('capabilities')).toEqual(['s.shown']);
    expect(await daemon.ids('resources')).toEqual(['s.book://shown']);
    expect(await daemon.ids('prompts')).toEqual(['s.shown_prompt']);
    for (const id of ['s.hidden', 'concealed']) {
      for (const headers of [{}, { 'if-none-match': '*' }]) {
        const answer = await daemon.get<Envelope>(`/v1/capabilities/${id}`, headers);
        expect(brief(answer)).toEqual([404, 'TOOL_NOT_FOUND']);
      }
    }
  });

  it.each([
    [{}, ['s.shown']],
    [{ query: 'hidden' }, []],
    [{ query: 's.hidden' }, []],
    [{ query: 'hidden shown' }, ['s.shown']],
    [{ query: 'concealed' }, []],
    [{ query: 'buries' }, []],
    [{ query: 'treasure' }, ['s.shown']],
    [{ query: 'treasure', server_ids: ['s'] }, ['s.shown']],
    [{ server_ids: ['s'] }, ['s.shown']],
    [{ tags: ['s'] }, ['s.shown']],
    [{ modes: ['write'] }, []],
    [{ modes: ['write'], server_ids: ['s'], tags: ['s'], limit: 100 }, []],
  ])('is not found by search either: %j [policy-allow-deny]', async (search, expected) => {
    const { status, body } = await daemon.search(search);
    expect([status, body.capabilities.map(({ id }) => id)]).toEqual([200, expected]);
  });

  it('is refused before its arguments are looked at, as a step too, and never counts as a failure [error-policy-denied] [policy-execution-time] [breaker-ignores-refusals]', async () => {
    for (const id of ['s.hidden', 'concealed', 's.hidden']) {
      expect(brief(await daemon.call(id, { n: 'wrong' }))).toEqual([403, 'POLICY_DENIED']);
    }
    const steps = [
      { id: 'a', capability_id: 's.shown', args: {} },
      { id: 'b', capability_id: 'concealed', args: { n: 1 }, continue_on_error: true },
      { id: 'c', capability_id: 's.shown', args: { again: true } },
    ];
    const { status, body } = await daemon.post<{
      readonly ok: boolean;
      readonly results: { readonly ok: boolean; readonly error?: string | null }[];
    }>('/v1/tools/batch_call', { steps });
    expect([status, body.ok, body.results.map(({ ok }) => ok)]).toEqual([200, false, [true, false, true]]);
    expect(body.results[1]?.error).toMatch(/^POLICY_DENIED: /);
    expect(upstream.received('tools/call').map(({ params }) => params.arguments)).toEqual([{}, { again: true }]);
    expect((await daemon.server('s')).circuit).toMatchObject({ state: 'closed', consecutive_failures: 0 });
  });

  it('stays hidden when the server lists it again [policy-allow-deny]', async () => {
    const { upstream: changing, daemon: own } = await denying();
    changing.define({ ...both, tools: [...both.tools, tool('hidden_too'), tool('announce'), tool('shown_too')] });
    process.kill((await own.server('s')).pid, 'SIGKILL');
    await eventually(async () => expect(await own.ids('capabilities')).toContain('s.shown_too'));
    expect(await own.ids('capabilities')).toEqual(['s.announce', 's.shown', 's.shown_too']);
    expect((await own.call('s.hidden_too')).status).toBe(403);
  });
});
