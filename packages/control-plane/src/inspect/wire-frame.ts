// A kept message in the form of the wire, and the filter of a request.
import type { FrameDirection, WireFrame } from '@portico/contracts';
import type { Caller } from '../call/call.js';
import type { KeptFrame } from './frame-ring.js';

export interface FrameFilter {
  readonly server?: string | undefined;
  readonly method?: string | undefined;
  readonly direction?: FrameDirection | undefined;
  readonly traceId?: string | undefined;
}

type Filtered = Pick<KeptFrame, 'server' | 'method' | 'direction' | 'traceId'>;

export function matchesFrame(frame: Filtered, { server, method, direction, traceId }: FrameFilter): boolean {
  return (
    (server === undefined || frame.server === server) &&
    (method === undefined || frame.method === method) &&
    (direction === undefined || frame.direction === direction) &&
    (traceId === undefined || frame.traceId === traceId)
  );
}

/** By the actor and the role that were proved, as for audit records. */
export function isOwnedBy({ owner }: KeptFrame, caller: Caller): boolean {
  if (owner === undefined || caller.actor === null) return false;
  const isSameKind =
    owner.actorKind === undefined || caller.actorKind === undefined || owner.actorKind === caller.actorKind;
  return owner.actor === caller.actor && owner.role === caller.role && isSameKind;
}

/** Size of a message in an answer beside its body: the usual upper limit of its other fields, bytes. */
const fixedWireBytes = 300;

export const wireBytesOf = ({ body }: KeptFrame): number => fixedWireBytes + (body?.length ?? 0);

const decoder = new TextDecoder();

export function toWire(frame: KeptFrame, id: string): WireFrame {
  const { epochMs, server, direction, kind, method, rpcId, bytes, durationUs, isError, traceId, body, isCut } = frame;
  return {
    id,
    timestamp: new Date(epochMs).toISOString(),
    server_id: server,
    direction,
    kind,
    ...(method === undefined ? {} : { method }),
    ...(rpcId === undefined ? {} : { rpc_id: rpcId }),
    bytes,
    ...(durationUs === undefined ? {} : { duration_us: durationUs }),
    ...(isError ? { is_error: true } : {}),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    ...(body === undefined ? {} : { body: decoder.decode(body) }),
    ...(isCut ? { body_truncated: true } : {}),
  };
}
