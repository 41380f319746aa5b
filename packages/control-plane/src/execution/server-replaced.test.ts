// Work that continues when its server is replaced or restarted: watches, tasks, rounds, and waiting calls.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { CallClient } from '../call/client.js';
import { author, startConfigured } from '../testing/start-configured.js';
import { type CallInput, caller, toCall, tool } from '../testing/start-plane.js';

const node = { command: 'node' };
const file = { mcpServers: { s: node } };
const question = { method: 'elicitation/create', params: { mode: 'form', message: 'who?' } };
const answer: JsonObject = { action: 'accept', content: { name: 'Ann' } };
const job: CallInput = { kind: 'tool', id: 's.job' };

type Started = Awaited<ReturnType<typeof startConfigured>>;

const replacements: [string, (started: Started) => Promise<unknown>][] = [
  ['restarted', ({ configuration, settled }) => settled(configuration.restartServer(author, 's'))],
  [
    'changed',
    ({ configuration, settled }) => settled(configuration.upsertServer(author, 's', { ...node, env: { A: '1' } })),
  ],
];

describe('a watch of a resource', () => {
  it.each(replacements)('goes on when its server is %s, and ends at the one that came', async (_what, replace) => {
    const server: MemoryServer = { definitions: { resources: [{ uri: 'file:///a', name: 'a' }] } };
    const started = await startConfigured({ s: server }, file);
    const stop = await started.plane.watchResource(caller, 's.file:///a');
    await replace(started);
    const { watched, connects } = started.server('s');
    expect([connects(), watched()]).toEqual([2, ['file:///a']]);
    stop();
    await started.clock.advance(0);
    expect(watched()).toEqual([]);
  });
});

describe('a task of a server', () => {
  /** Asks something before it is over. */
  function asking(): MemoryServer {
    let replies: JsonObject[string] | undefined;
    return {
      protocolVersion: '2026-07-28',
      hasTasks: true,
      definitions: { tools: [tool('job')] },
      handle({ method, params }) {
        if (method === 'tools/call') return { resultType: 'task', taskId: 't', pollIntervalMs: 1000 };
        if (method === 'tasks/update') replies = params.inputResponses;
        if (method !== 'tasks/get') return {};
        if (replies === undefined) return { taskId: 't', status: 'input_required', inputRequests: { who: question } };
        return { taskId: 't', status: 'completed', result: { content: [], structuredContent: { replies } } };
      },
    };
  }

  async function begin() {
    const started = await startConfigured({ s: asking() }, file);
    const outcome = await started.plane.tasks.run(toCall(job), false);
    if (outcome.kind !== 'task') throw new Error('no task');
    await started.clock.advance(0);
    return { ...started, id: outcome.task.task_id };
  }

  it.each(replacements)('takes the answer of its user and goes on when it is %s', async (_what, replace) => {
    const started = await begin();
    const { plane, clock, id } = started;
    expect(await plane.tasks.get(caller, id)).toMatchObject({ status: 'input_required' });
    await replace(started);
    await plane.tasks.respond(caller, id, { q1: answer });
    await clock.advance(1000);
    expect(await plane.tasks.get(caller, id)).toMatchObject({
      status: 'completed',
      result: { data: { structuredContent: { replies: { who: answer } } } },
    });
  });

  it.each(replacements)('is cancelled at the one that came when it is %s', async (_what, replace) => {
    const started = await begin();
    await replace(started);
    await started.plane.tasks.cancel(caller, started.id);
    await started.clock.advance(0);
    const methods = started
      .server('s')
      .requests()
      .map(({ method }) => method);
    expect(methods.at(-1)).toBe('tasks/cancel');
  });
});

describe('a call of several rounds', () => {
  it.each(replacements)(
    'takes the answer of its user to the one that came when its server is %s',
    async (_w, replace) => {
      const rounds: MemoryServer = {
        protocolVersion: '2026-07-28',
        definitions: { tools: [tool('job')] },
        handle: ({ params }) =>
          params.requestState === undefined
            ? { resultType: 'input_required', inputRequests: { who: question }, requestState: 'x' }
            : { content: [], structuredContent: { replies: params.inputResponses ?? null } },
      };
      const started = await startConfigured({ s: rounds }, file);
      const client: CallClient = {
        capabilities: { elicitation: { form: {} } },
        async ask() {
          await replace(started);
          return answer;
        },
      };
      const { envelope } = await started.outcome({ ...job, client });
      expect(envelope).toMatchObject({ ok: true, data: { structuredContent: { replies: { who: answer } } } });
      expect(started.server('s').connects()).toBe(2);
    },
  );
});

describe('a call that waits for its user at its server', () => {
  it('has 5 seconds to end when nothing but the resilience of the server changes', async () => {
    const waits: MemoryServer = {
      definitions: { tools: [tool('job')] },
      handle: async (_request, signal, handler) => ({
        content: [],
        structuredContent: {
          replies: (await handler?.onServerRequest({ ...question, method: 'elicitation/create' }, signal)) ?? null,
        },
      }),
    };
    const { configuration, clock, outcome, server } = await startConfigured({ s: waits }, file);
    const asked = (await outcome(job)).envelope.data as JsonObject;
    void configuration.upsertServer(author, 's', { ...node, resilience: { maxRestarts: 9 } });
    await clock.advance(4999);
    expect(server('s').connects()).toBe(1);
    const turn = { requestState: String(asked.requestState), inputResponses: { q1: answer } };
    expect((await outcome({ ...job, ...turn })).envelope).toMatchObject({
      ok: true,
      data: { structuredContent: { replies: answer } },
    });
    await clock.advance(0);
    expect([server('s').connects(), server('s').sessions()]).toEqual([2, 1]);
  });
});
