// Requests of one daemon to another: to cancel a running operation, and to answer or cancel tasks that it owns.
import {
  describeIssues,
  type ErrorEnvelope,
  errorEnvelope,
  errorEnvelopeSchema,
  type JsonObject,
  nothingSent,
  PorticoError,
  parseWith,
  type RpcError,
  unknownOutcome,
} from '@portico/contracts';
import { type Caller, CallFailure } from '../call/call.js';
import type { Log } from '../common/log.js';
import { type Peers, PeerUnresponsive } from './peers.js';
import type { TaskAnswer } from './task-answer.js';

/** The work of this daemon for others: the operations that run here. */
export interface LocalWork {
  cancel(principal: string, requestId: string): Promise<boolean>;
  cancelTask(caller: Caller, id: string): Promise<TaskAnswer>;
  respondToTask(caller: Caller, id: string, responses: JsonObject): Promise<TaskAnswer>;
}

/** Only daemons of one version share a state, so what they say is what their types say. */
type PeerCommand =
  | { readonly kind: 'cancel'; readonly principal: string; readonly requestId: string }
  | { readonly kind: 'cancel_task'; readonly caller: Caller; readonly id: string }
  | {
      readonly kind: 'respond_to_task';
      readonly caller: Caller;
      readonly id: string;
      readonly responses: JsonObject;
    };

export interface PeerCommands {
  /** Cancels at all others. Whether there was anything. @throws CallFailure if one of them does not say */
  cancel(principal: string, requestId: string): Promise<boolean>;
  /** @throws CallFailure, also where the daemon does not answer */
  cancelTask(daemon: string, caller: Caller, id: string): Promise<TaskAnswer>;
  respondToTask(daemon: string, caller: Caller, id: string, responses: JsonObject): Promise<TaskAnswer>;
}

function refuse(error: unknown): never {
  const reason = error instanceof Error ? error.message : error;
  const message =
    error instanceof PeerUnresponsive
      ? `a daemon that may have it does not answer (${reason}); try again`
      : `other daemons cannot be asked for it (${reason}); try again`;
  throw new CallFailure('INTERNAL_ERROR', message);
}

export function createPeerCommands(peers: Peers, log: Log): PeerCommands {
  const ask = async <T>(daemon: string, command: PeerCommand): Promise<T> => {
    const answer = await peers.ask(daemon, { ...command } as unknown as JsonObject).catch(refuse);
    const { failure, value } = answer;
    if (failure !== undefined) throw toFailure(failure);
    return value as T;
  };

  return {
    async cancel(principal, requestId) {
      const daemons = await peers.others().catch(refuse);
      const asked = daemons.map((daemon) => ask<boolean>(daemon, { kind: 'cancel', principal, requestId }));
      const answers = await Promise.allSettled(asked);
      if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
      for (const answer of answers) {
        if (answer.status === 'fulfilled') continue;
        log('warn', 'a daemon did not say whether it cancelled anything', { error: answer.reason });
        throw answer.reason;
      }
      return false;
    },
    cancelTask: (daemon, caller, id) => ask(daemon, { kind: 'cancel_task', caller, id }),
    respondToTask: (daemon, caller, id, responses) => ask(daemon, { kind: 'respond_to_task', caller, id, responses }),
  };
}

/** As it was there, for an envelope that is the same here. */
function toFailure(failure: unknown): CallFailure {
  const parsed = parseWith(errorEnvelopeSchema, failure);
  if (!parsed.ok) {
    const reason = describeIssues(parsed.issues);
    return new CallFailure('INTERNAL_ERROR', `another daemon answered what is no failure (${reason})`, unknownOutcome);
  }
  const { retry, error } = parsed.value;
  const { code, message, retryable, rpc_error } = error;
  const rpcError = rpc_error as RpcError | undefined; // it came as JSON
  return new CallFailure(code, message, retry, { retryable, ...(rpcError === undefined ? {} : { rpcError }) });
}

/** Without a request id: the caller of the request has its own. */
function toEnvelope(error: unknown): ErrorEnvelope {
  const correlation = { requestId: null, traceId: '' };
  if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
  if (error instanceof PorticoError) return errorEnvelope(correlation, nothingSent, error);
  const message = error instanceof Error ? error.message : String(error);
  return errorEnvelope(correlation, unknownOutcome, { code: 'INTERNAL_ERROR', message });
}

/** Does what others ask for, until the returned function is called. */
export function servePeerCommands(peers: Peers, work: LocalWork, log: Log): () => void {
  const run = (command: PeerCommand): Promise<unknown> => {
    switch (command.kind) {
      case 'cancel':
        return work.cancel(command.principal, command.requestId);
      case 'cancel_task':
        return work.cancelTask(command.caller, command.id);
      case 'respond_to_task':
        return work.respondToTask(command.caller, command.id, command.responses);
    }
  };
  return peers.serve(async (command) => {
    try {
      return { value: await run(command as unknown as PeerCommand) } as JsonObject;
    } catch (error) {
      if (!(error instanceof PorticoError)) log('error', 'what another daemon asked for failed', { error });
      return { failure: toEnvelope(error) } as unknown as JsonObject;
    }
  });
}
