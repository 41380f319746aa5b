// The question of an upstream for a message of a model: a ticket for people, and its caller, who may answer first.
import type { AbortSignalLike } from '@portico/async';
import { type JsonObject, PorticoError } from '@portico/contracts';
import { ServerRequestRefused } from '@portico/upstream-pool';
import type { SamplingInput, SamplingTicket } from './ticket.js';

/** The operations on one ticket. */
export interface SamplingTickets {
  /** @throws CallFailure POLICY_DENIED when too much waits, INTERNAL_ERROR when it cannot be recorded */
  open(input: SamplingInput): Promise<SamplingTicket>;
  /** The ticket at its end, or as it is when the time is over. Rejects with the reason of a signal that aborts first. */
  wait(id: string, waitMs: number, signals: readonly AbortSignalLike[]): Promise<SamplingTicket | undefined>;
  /** Answers a pending ticket; undefined if it is not pending. @param result MCP `CreateMessageResult` */
  complete(id: string, result: JsonObject): Promise<SamplingTicket | undefined>;
  /**
   * Resolves when the provider has failed, or takes longer than a call may; undefined if it is not asked. Rejects with
   * the reason of the signal.
   */
  leftToPeople(id: string, signal: AbortSignalLike): Promise<void> | undefined;
  /**
   * Closes a ticket that no call waits for any more; gives the answer where one was taken before. Never rejects: its time
   * ends it otherwise.
   */
  abandon(id: string): Promise<JsonObject | undefined>;
}

/**
 * Puts the question to the caller; the signal takes it back. Rejects with what the caller refuses with.
 * @param left as `leftToPeople` gives it
 */
export type AskCaller = (signal: AbortSignalLike, left: Promise<void> | undefined) => Promise<JsonObject>;

/** JSON-RPC error codes: as MCP SDKs report a time-out, and of a defect on our side. */
const requestTimeout = -32001;
const internalError = -32603;

/** The ticket's own time is over long before. */
const longestWaitMs = 2_147_483_647;

/** @throws ServerRequestRefused */
export async function ask(
  on: SamplingTickets,
  input: SamplingInput,
  askCaller: AskCaller | undefined,
  signal: AbortSignalLike,
): Promise<JsonObject> {
  const ticket = await on.open(input).catch(refuse);
  const over = new AbortController();
  const byCaller = new Promise<never>((_, reject) => {
    askCaller?.(over.signal, on.leftToPeople(ticket.id, over.signal))
      .then((answer) => on.complete(ticket.id, answer).catch(refuse))
      .catch(reject);
  });
  try {
    return answerOf(ticket, await Promise.race([on.wait(ticket.id, longestWaitMs, [signal]), byCaller]));
  } catch (error) {
    over.abort(error);
    const answer = await on.abandon(ticket.id);
    if (answer === undefined) throw error;
    return answer; // it was taken: its giver has a 200 for it
  } finally {
    over.abort(new Error('the question was answered elsewhere'));
  }
}

/** The server gets what fails here as any other refusal. */
function refuse(error: unknown): never {
  throw error instanceof PorticoError ? new ServerRequestRefused(internalError, error.message) : error;
}

function answerOf({ id, createdAtMs, expiresAtMs }: SamplingTicket, ended: SamplingTicket | undefined): JsonObject {
  if (ended?.status.status === 'completed') return ended.status.result;
  const afterSecs = (expiresAtMs - createdAtMs) / 1000;
  throw new ServerRequestRefused(
    requestTimeout,
    `no operator or caller answered sampling request ${id} within ${afterSecs} s`,
  );
}
