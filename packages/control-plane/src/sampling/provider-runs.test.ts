// The sampling provider beside people: called if configured, stopped when a person was faster, logged when it fails.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { initialState } from '../state/plane-state.js';
import { configOf, hang } from '../testing/start-plane.js';
import type { SampleMessages } from './provider-runs.js';
import { createProviderRuns } from './provider-runs.js';
import type { SamplingTicket } from './ticket.js';

const provider = { url: 'http://llm.example/v1', model: 'small' };
const answer: JsonObject = { role: 'assistant', content: { type: 'text', text: '4' }, model: 'small' };
const ticket: SamplingTicket = {
  id: 'samp-0-1',
  serverId: 's',
  params: { messages: [] },
  origin: 'http',
  correlation: null,
  principal: null,
  createdAtMs: 0,
  expiresAtMs: 1,
  status: { status: 'pending' },
};

function start(sampleMessages: SampleMessages | undefined, sampling: object = { provider }) {
  const state = initialState(configOf({ mcpServers: {}, sampling }));
  const completed: unknown[] = [];
  const log: unknown[] = [];
  const runs = createProviderRuns(
    { sampleMessages, clock: createManualClock(), log: (...line) => log.push(line) },
    () => state,
    async (id, result) => completed.push([id, result]),
  );
  return { runs, completed, log };
}

describe('a provider', () => {
  it('is asked what the ticket asks, and its answer completes it', async () => {
    const asked: unknown[] = [];
    const { runs, completed } = start(async (given, params) => {
      asked.push([given, params]);
      return answer;
    });
    runs.begin(ticket);
    runs.begin(ticket); // it runs already
    await expect.poll(() => completed).toEqual([['samp-0-1', answer]]);
    expect(asked).toEqual([[{ ...provider, apiKeyEnv: null, maxTokens: null }, ticket.params]]);
  });

  it.each<[string, SampleMessages | undefined, object]>([
    ['where none is configured', async () => answer, {}],
    ['where nothing can ask it', undefined, { provider }],
  ])('is not asked %s', async (_what, sampleMessages, sampling) => {
    const { runs, completed } = start(sampleMessages, sampling);
    runs.begin(ticket);
    await runs.close();
    expect(completed).toEqual([]);
  });

  it('that fails is logged, without what was asked', async () => {
    const error = new Error('http://llm.example: answered with status 401');
    const { runs, completed, log } = start(() => Promise.reject(error));
    runs.begin(ticket);
    const message = 'the sampling provider gave no answer; the ticket waits for people';
    await expect.poll(() => log).toEqual([['warn', message, { ticket_id: 'samp-0-1', server: 's', error }]]);
    expect(completed).toEqual([]);
  });

  it('is stopped when the ticket has ended, and with the service', async () => {
    const signals: AbortSignalLike[] = [];
    const { runs, completed, log } = start((_provider, _params, signal) => {
      signals.push(signal);
      return hang();
    });
    runs.begin(ticket);
    runs.begin({ ...ticket, id: 'samp-0-2' });
    runs.stop('samp-0-1');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await runs.close();
    runs.begin({ ...ticket, id: 'samp-0-3' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect([completed, log]).toEqual([[], []]);
  });
});
