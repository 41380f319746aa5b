// A call that wants a process of its server, a process that takes calls, and whether the one suits the other.
import type { AbortSignalLike } from '@portico/async';
import {
  NotSent,
  type ServerRequestHandler,
  type SettleResult,
  Unasked,
  UpstreamFailure,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import type { CallLoad } from './askers.js';
import type { AskingKind } from './asking-memory.js';
import type { RpcPeer } from './rpc-peer.js';

/** @param onSent called once the request has left */
export type Send = (
  request: UpstreamRequest,
  signal: AbortSignalLike,
  handler: ServerRequestHandler | undefined,
  settle: SettleResult,
  onSent?: () => void,
) => void;

/** One process, and the session with it. */
export interface ServerProcess {
  readonly peer: Pick<RpcPeer, 'askers'>;
  readonly send: Send;
  /** Ends it and all that it has started. Never rejects. */
  close(): Promise<void>;
}

/** A call that has no process yet. */
export interface Waiter {
  readonly request: UpstreamRequest;
  readonly signal: AbortSignalLike;
  readonly handler: ServerRequestHandler;
  readonly settle: SettleResult;
  readonly kind: AskingKind | undefined;
  /** It goes on with what another request to the first process began, or begins what others go on with. */
  readonly isPinned: boolean;
  hasWaited: boolean;
  isPatient: boolean;
  stopWaiting: () => void;
}

export interface Member extends ServerProcess {
  readonly isFirst: boolean;
  /** Calls that were given it and have not left yet. */
  readonly arriving: Set<Waiter>;
  calls: number;
  /** A call of it was given up, and what it may still ask would be taken for another's. */
  isRetired: boolean;
  idle: NodeJS.Timeout | undefined;
}

const movable: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** Whether it is of those that any process of a server answers alike. */
export function isMovable({ method, params }: UpstreamRequest): boolean {
  return movable.has(method) && params.task === undefined;
}

/** Whether the owner of a request can still be determined once the call runs with these others. */
export function fits({ total, unasked, askers, persons }: CallLoad, kind: AskingKind | undefined): boolean {
  // One that waits for its caller may ask once more, which could not be distinguished from the first question of the
  // new one.
  if (kind === undefined) return persons === 0;
  return kind === 'roots' ? askers === 0 && unasked === 0 : total === 0;
}

/** Whether it may run beside these where it can have no other process: a question may wait until others have ended. */
export function fitsBeside({ askers }: CallLoad, kind: AskingKind | undefined): boolean {
  return kind === undefined || askers === 0;
}

export function loadOf({ peer, arriving }: Member): CallLoad {
  const { total, unasked, askers, persons } = peer.askers.load();
  const kinds = [...arriving].map(({ kind }) => kind).filter((kind) => kind !== undefined);
  return {
    total: total + arriving.size,
    unasked: unasked + arriving.size,
    askers: askers + kinds.length,
    persons: persons + kinds.filter((kind) => kind !== 'roots').length,
  };
}

export function toMember(process: ServerProcess, isFirst: boolean): Member {
  return { ...process, isFirst, arriving: new Set(), calls: 0, isRetired: false, idle: undefined };
}

/** Whether the server does nothing more for a call that failed: it has answered with an error, or never got it. */
export function isOver(error: unknown): boolean {
  if (error instanceof Unasked) return error.isAnswered;
  return error instanceof NotSent || (error instanceof UpstreamFailure && error.detail.kind === 'rejected');
}
