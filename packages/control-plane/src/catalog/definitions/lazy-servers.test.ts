// Lazy servers as callers and operators see them: started by use, stopped without it, and no client is notified.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { CallClient } from '../../call/client.js';
import { countsOf, restart, type Started } from '../../testing/restart.js';
import { author, startConfigured } from '../../testing/start-configured.js';
import { toCall, tool } from '../../testing/start-plane.js';
import type { UpdateEvent } from '../updates.js';

const git: MemoryServer = {
  definitions: { tools: [tool('a'), tool('b')], prompts: [{ name: 'p' }] },
};
const web: MemoryServer = { definitions: { resources: [{ uri: 'x:y', name: 'y' }] } };
const node = { command: 'node' };
const lazy = { ...node, lifecycle: 'lazy', idleStopSecs: 10 };
const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } } as const;
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };

const version = ({ plane }: Started) => plane.state().catalog.version;
function updatesOf({ plane }: Started) {
  const events: UpdateEvent[] = [];
  plane.onUpdate((event) => events.push(event));
  return events;
}

describe('a lazy server', () => {
  const lazyFile = { mcpServers: { git: lazy } };
  const call = { kind: 'tool', id: 'git.a' } as const;

  it('is connected once when it is new, and after a restart only by a call', async () => {
    const first = await startConfigured({ git }, lazyFile);
    expect([first.server('git').connects(), first.statusOf('git')]).toEqual([1, 'connected']);
    await first.clock.advance(10_000);
    expect(first.statusOf('git')).toBe('idle');
    const second = await restart(first, { git }, lazyFile);
    await second.clock.advance(100_000);
    expect([second.server('git').connects(), countsOf(second, 'git'), version(second)]).toEqual([
      ...[0, { status: 'idle', tools: 2, resources: 0, prompts: 1 }, version(first)],
    ]);
    expect((await second.outcome(call)).envelope).toMatchObject({ ok: true });
    expect([second.server('git').connects(), second.statusOf('git')]).toEqual([1, 'connected']);
  });

  it('notifies no client of its stops and starts', async () => {
    const started = await startConfigured({ git }, lazyFile);
    await started.clock.advance(1000);
    const { cursor } = started.plane.catalogEvents(undefined);
    const updates = updatesOf(started);
    for (let use = 0; use < 3; use += 1) {
      await started.clock.advance(10_000);
      expect(started.statusOf('git')).toBe('idle');
      await started.outcome(call);
    }
    await started.clock.advance(1000);
    expect([updates, started.plane.catalogEvents(cursor).events]).toEqual([[], []]);
  });

  it.each<[string, (started: Started) => Promise<unknown>]>([
    ['a read', ({ outcome }) => outcome({ kind: 'resource', id: 'all.x:y' })],
    ['a prompt', ({ outcome }) => outcome({ kind: 'prompt', id: 'all.p' })],
    [
      'a completion',
      ({ plane }) =>
        plane.complete({
          request: { ref_type: 'prompt', ref_name: 'all.p', argument_name: 'n' },
          correlation: { requestId: null, traceId: 'b7'.repeat(16) },
          caller: { ...author.identity, profile: null },
          signal: new AbortController().signal,
        }),
    ],
    ['a watch', ({ plane }) => plane.watchResource({ ...author.identity, profile: null }, 'all.x:y')],
    ['a restart', ({ configuration, settled }) => settled(configuration.restartServer(author, 'all'))],
  ])('is started by %s', async (_what, use) => {
    const all: MemoryServer = { definitions: { ...git.definitions, ...web.definitions } };
    const started = await startConfigured({ all }, { mcpServers: { all: lazy } });
    await started.clock.advance(10_000);
    expect(started.statusOf('all')).toBe('idle');
    await use(started);
    await started.clock.advance(0);
    expect([started.statusOf('all'), started.server('all').connects()]).toEqual(['connected', 2]);
  });

  it('is left alone by calls that are refused before they reach it', async () => {
    const started = await startConfigured({ git }, { ...lazyFile, policy: { deny: ['git.b'] } });
    await started.clock.advance(10_000);
    await started.outcome({ kind: 'tool', id: 'git.b' });
    await started.outcome({ ...call, args: 7 as never });
    await started.clock.advance(0);
    expect([started.statusOf('git'), started.server('git').connects()]).toEqual(['idle', 1]);
  });

  it('goes on over the polls of a task that take longer than it is kept', async () => {
    let polls = 0;
    const working: MemoryServer = {
      protocolVersion: '2026-07-28',
      hasTasks: true,
      definitions: { tools: [tool('job')] },
      handle({ method }) {
        if (method === 'tools/call') return { resultType: 'task', taskId: 't', pollIntervalMs: 30_000 };
        polls += 1;
        const status = polls < 3 ? 'working' : 'completed';
        return { taskId: 't', status, result: { content: [] } };
      },
    };
    const started = await startConfigured({ s: working }, { mcpServers: { s: lazy } });
    await started.clock.advance(10_000);
    expect(started.statusOf('s')).toBe('idle');
    const outcome = await started.plane.tasks.run(toCall({ kind: 'tool', id: 's.job' }), false);
    expect(outcome.kind).toBe('task'); // known of it though it was idle
    await started.clock.advance(60_000);
    expect([polls, started.server('s').connects(), started.statusOf('s')]).toEqual([3, 2, 'connected']);
    await started.clock.advance(10_000);
    expect(started.statusOf('s')).toBe('idle');
  });
});

describe('a lifecycle that is changed', () => {
  it('goes on with the session, by request and by the file', async () => {
    const started = await startConfigured({ git }, { mcpServers: { git: node } });
    const { configuration, settled, server, clock, statusOf } = started;
    const { changes } = await settled(configuration.upsertServer(author, 'git', lazy));
    expect([changes.updated, server('git').connects(), statusOf('git')]).toEqual([['git'], 1, 'connected']);
    await clock.advance(10_000);
    expect(statusOf('git')).toBe('idle');
    started.source.replace({ mcpServers: { git: node } });
    await settled(configuration.reload(author));
    await clock.advance(0);
    expect([server('git').connects(), statusOf('git')]).toEqual([2, 'connected']);
    await clock.advance(100_000);
    expect([server('git').connects(), statusOf('git')]).toEqual([2, 'connected']);
  });

  it('with something else replaces the server, which need not start for a new secret', async () => {
    const started = await startConfigured({ git }, { mcpServers: { git: { ...lazy, env: { A: '1' } } } });
    const { configuration, settled, server, statusOf } = started;
    await settled(configuration.upsertServer(author, 'git', { ...lazy, env: { A: '2' } }));
    expect([server('git').connects(), statusOf('git')]).toEqual([1, 'idle']);
    await settled(configuration.upsertServer(author, 'git', { ...lazy, env: { B: '2' } }));
    expect([server('git').connects(), statusOf('git')]).toEqual([2, 'connected']); // another offer, perhaps
  });
});

describe('a lazy server that waits for a person', () => {
  const file = { mcpServers: { s: lazy } };

  it('goes on while its caller is asked between two rounds', async () => {
    const rounds: MemoryServer = {
      protocolVersion: '2026-07-28',
      definitions: { tools: [tool('job')] },
      handle: ({ params }) =>
        params.requestState === undefined
          ? { resultType: 'input_required', inputRequests: { who: question }, requestState: 'x' }
          : { content: [] },
    };
    const started = await startConfigured({ s: rounds }, file);
    const client: CallClient = {
      capabilities: { elicitation: { form: {} } },
      async ask() {
        await started.clock.advance(50_000);
        return answer;
      },
    };
    const { envelope } = await started.outcome({ kind: 'tool', id: 's.job', client });
    expect([envelope.ok, started.server('s').connects()]).toEqual([true, 1]);
    await started.clock.advance(10_000);
    expect(started.statusOf('s')).toBe('idle');
  });

  it('goes on while a call is parked that asks its caller', async () => {
    const waits: MemoryServer = {
      definitions: { tools: [tool('job')] },
      async handle(_request, signal, handler) {
        await handler?.onServerRequest(question, signal);
        return { content: [] };
      },
    };
    const started = await startConfigured({ s: waits }, file);
    const job = { kind: 'tool', id: 's.job' } as const;
    const asked = (await started.outcome(job)).envelope.data as JsonObject;
    await started.clock.advance(50_000);
    expect(started.statusOf('s')).toBe('connected');
    const turn = { requestState: String(asked.requestState), inputResponses: { q1: answer } };
    expect((await started.outcome({ ...job, ...turn })).envelope).toMatchObject({ ok: true });
    expect(started.server('s').connects()).toBe(1);
    await started.clock.advance(10_000);
    expect(started.statusOf('s')).toBe('idle');
  });
});
