// One key of the kill storm and how a client gets its answer: calls, concurrent repeats, and approvals where it is gated.
import { ConnectionLost, type Daemon } from './daemon.js';
import { createRandom } from './random.js';
import { type Approved, type Envelope, meaningOf, type StoredRecord, type Ticket } from './wire.js';

export interface KeyPlan {
  readonly key: string;
  readonly isGated: boolean;
  /** How long the upstream takes between writing the key down and answering. */
  readonly slowMs: number;
  /** Equal requests sent at once; of a gated key, decisions. */
  readonly copies: number;
}

export function planKey(seed: number, index: number): KeyPlan {
  const random = createRandom(seed, 'key', index);
  const speed = random.next();
  return {
    key: `storm-${seed}-${index}`,
    isGated: random.chance(0.3),
    slowMs: speed < 0.4 ? 0 : speed < 0.8 ? random.between(5, 60) : random.between(100, 300),
    copies: random.chance(0.4) ? random.between(2, 4) : 1,
  };
}

export interface Answer {
  readonly text: string;
  readonly meaning: 'result' | 'unknown';
}

/** Observations of a client while it drove one key in one life of the daemon. */
export interface Drive {
  /** Undefined if the daemon was killed first. */
  readonly answer: Answer | undefined;
  /** Whether the key had a record before; undefined if that was not checked. */
  readonly hadRecord?: boolean;
  /** Whether every answer was one that had been stored before. */
  readonly isReplay: boolean;
  readonly tickets: readonly string[];
  readonly problems: readonly string[];
}

interface ReceivedAnswer {
  readonly envelope: Envelope;
  readonly isReplay: boolean;
}

/** @param isRepeat whether the key has been sent before, to a daemon that was killed */
export async function driveKey(daemon: Daemon, plan: KeyPlan, isRepeat: boolean): Promise<Drive> {
  const tickets = new Set<string>();
  const answers: ReceivedAnswer[] = [];
  const problems: string[] = [];
  let hadRecord: boolean | undefined;
  try {
    if (isRepeat && !plan.isGated) hadRecord = await lookUp(daemon, plan, answers);
    if (plan.isGated) await driveGated(daemon, plan, { answers, problems, tickets });
    else answers.push(...(await settle(Array.from({ length: plan.copies }, () => call(daemon, plan)))));
  } catch (error) {
    if (!(error instanceof ConnectionLost))
      problems.push(`${plan.key}: ${error instanceof Error ? error.message : error}`);
  }
  const final = answers.filter(({ envelope }) => isFinal(envelope, plan.key));
  const odd = answers.filter(({ envelope }) => !isFinal(envelope, plan.key));
  const texts = [...new Set(final.map(({ envelope }) => JSON.stringify(envelope)))];
  if (texts.length > 1) problems.push(`${plan.key}: answers that differ: ${texts.join(' and ')}`);
  problems.push(...odd.map(({ envelope }) => `${plan.key}: unexpected answer ${JSON.stringify(envelope)}`));
  return {
    answer: toAnswer(final[0]?.envelope, plan.key),
    ...(hadRecord === undefined ? {} : { hadRecord }),
    isReplay: final.length > 0 && final.every(({ isReplay }) => isReplay),
    tickets: [...tickets],
    problems,
  };
}

/** The final result of a ticket, or undefined. */
export async function ticketAnswer(daemon: Daemon, id: string, key: string): Promise<Answer | undefined> {
  return toAnswer((await daemon.ask<Ticket>(`/v1/approvals/${id}`)).body.approval?.result, key);
}

async function lookUp(daemon: Daemon, { key }: KeyPlan, answers: ReceivedAnswer[]): Promise<boolean> {
  const { body } = await daemon.ask<StoredRecord>(`/v1/idempotency/records/${key}`);
  if (body.record === undefined) return false;
  answers.push({ envelope: body.record.response, isReplay: true });
  return true;
}

interface Gathered {
  readonly answers: ReceivedAnswer[];
  readonly problems: string[];
  readonly tickets: Set<string>;
}

/** Asks, and where a person has to decide, approves while another request waits for the outcome. */
async function driveGated(daemon: Daemon, plan: KeyPlan, { answers, problems, tickets }: Gathered): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const first = await call(daemon, plan);
    const id = first.envelope.error?.approval_id;
    if (id === undefined || meaningOf(first.envelope, plan.key) !== 'pending') {
      answers.push(first);
      return;
    }
    tickets.add(id);
    const statuses: number[] = [];
    const approve = async () => {
      const { status, body } = await daemon.post<Approved>(`/v1/approvals/${id}/approve`, { operator: 'storm' });
      statuses.push(status);
      return { envelope: body.result, isReplay: false };
    };
    const outcomes = await settle<{ readonly envelope: Envelope | null | undefined; readonly isReplay: boolean }>([
      call(daemon, plan, { prefer: 'wait=5' }),
      ...Array.from({ length: plan.copies }, approve),
    ]);
    const wins = statuses.filter((status) => status === 200).length;
    const others = statuses.filter((status) => status !== 200 && status !== 409);
    if (wins > 1 || others.length > 0) problems.push(`${plan.key}: its approvals were answered ${statuses.join(', ')}`);
    // A call that could not be sent leaves nothing behind, and is sent again.
    for (const { envelope, isReplay } of outcomes) {
      if (envelope && isFinal(envelope, plan.key)) answers.push({ envelope, isReplay });
    }
    const { body } = await daemon.ask<Ticket>(`/v1/approvals/${id}`);
    const result = body.approval?.result;
    if (result !== undefined && isFinal(result, plan.key)) answers.push({ envelope: result, isReplay: true });
    if (answers.length > 0) return;
  }
  problems.push(`${plan.key}: no answer after five approvals`);
}

async function call(
  daemon: Daemon,
  { key, isGated, slowMs }: KeyPlan,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReceivedAnswer> {
  const body = { capability_id: `counting.${isGated ? 'gated' : 'count'}`, args: { key, ms: slowMs } };
  const reply = await daemon.post<Envelope>('/v1/tools/call', body, { 'idempotency-key': key, ...headers });
  return { envelope: reply.body, isReplay: reply.headers['x-service-deduplicated'] === 'true' };
}

/** Results of requests made at once. If all failed, the failure of the first. */
async function settle<T>(requests: readonly Promise<T>[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(requests);
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  const defect = failures.find((failure) => !(failure instanceof ConnectionLost));
  const answers = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
  if (defect !== undefined || (answers.length === 0 && failures.length > 0)) throw defect ?? failures[0];
  return answers;
}

function isFinal(envelope: Envelope, key: string): boolean {
  return toAnswer(envelope, key) !== undefined;
}

function toAnswer(envelope: Envelope | undefined, key: string): Answer | undefined {
  const meaning = meaningOf(envelope, key);
  return meaning === 'result' || meaning === 'unknown' ? { text: JSON.stringify(envelope), meaning } : undefined;
}
