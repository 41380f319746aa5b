// Rules of redaction that came while a call ran hold for its record too.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { parkedMs } from '../interaction/parked-calls.js';
import { author, startConfigured } from '../testing/start-configured.js';
import { type CallInput, caller, tool } from '../testing/start-plane.js';

const file = { mcpServers: { s: { command: 'node' } }, policy: { redactKeys: ['token'] } };
const args = { pin: '4711', token: 'abc', n: 1 };
const call: CallInput = { kind: 'tool', id: 's.job', args };
const redacted = { n: 1 };

/** Answers when the test says so. */
function slow() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const server: MemoryServer = {
    definitions: { tools: [tool('job')], prompts: [{ name: 'p', arguments: [{ name: 'pin' }] }] },
    handle: () => answered.then((): JsonObject => ({ content: [], completion: { values: [] } })),
  };
  return { server, answer: () => answer() };
}

const asking: MemoryServer = {
  definitions: { tools: [tool('job')] },
  handle: async (_request, signal, handler) =>
    (await handler?.onServerRequest({ method: 'elicitation/create', params: {} }, signal)) ?? {},
};

type Started = Awaited<ReturnType<typeof startConfigured>>;
const tighten = ({ configuration }: Started) => configuration.mergePolicy(author, { redact_keys: ['pin'] });
const argsOnRecord = ({ audit }: Started) =>
  audit.kept().flatMap((record) => (record.event_type === 'config_change' ? [] : [record.sanitized_args]));

it('keeps what is a secret now out of the record of a call that began before', async () => {
  const { server, answer } = slow();
  const started = await startConfigured({ s: server }, file);
  const running = started.outcome(call);
  await started.clock.advance(0);
  await tighten(started);
  answer();
  await running;
  expect(argsOnRecord(started)).toEqual([redacted]);
});

it('keeps it out of the record of a call whose caller did not return', async () => {
  const started = await startConfigured({ s: asking }, file);
  await started.outcome(call);
  await tighten(started);
  await started.clock.advance(parkedMs);
  expect(argsOnRecord(started)).toEqual([{ pin: '4711', n: 1 }, redacted]);
});

it('keeps it out of the record of a completion', async () => {
  const { server, answer } = slow();
  const started = await startConfigured({ s: server }, file);
  const request = { ref_type: 'prompt', ref_name: 's.p', argument_name: 'pin', argument_value: '4711' } as const;
  const correlation = { requestId: null, traceId: 'a'.repeat(32) };
  const running = started.plane.complete({ request, correlation, caller, signal: new AbortController().signal });
  await started.clock.advance(0);
  await tighten(started);
  answer();
  await running;
  expect(argsOnRecord(started)).toEqual([{}]);
});
