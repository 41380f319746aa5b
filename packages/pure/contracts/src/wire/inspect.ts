// The messages between Portico and its servers, as they are read over HTTP.
import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Messages that one list has at most. */
export const maxListedFrames = 500;

/** Seen from Portico. */
export const frameDirections = ['sent', 'received'] as const;
/** `sent` by Portico to the server, `received` from it. */
export type FrameDirection = (typeof frameDirections)[number];

/** Kinds of JSON-RPC messages. */
export const frameKinds = ['request', 'response', 'notification'] as const;

/** One JSON-RPC message between Portico and a server, with secrets masked. */
export const frameSchema = v.object({
  id: v.pipe(v.string(), v.description('Number of this message; later ones have higher numbers at the end')),
  timestamp: v.pipe(v.string(), v.description('RFC 3339 in UTC, to the millisecond')),
  server_id: v.string(),
  direction: v.pipe(v.picklist(frameDirections), v.description('`sent` to the server, or `received` from it')),
  kind: v.picklist(frameKinds),
  method: v.optional(
    v.pipe(v.string(), v.description('The method of its request, for a response; absent if that was not seen')),
  ),
  rpc_id: v.optional(v.pipe(v.string(), v.description('JSON text of the `id` of the message: a number or a string'))),
  bytes: v.pipe(count, v.description('Size of the whole message in UTF-8, kept or not')),
  duration_us: v.optional(v.pipe(count, v.description('Microseconds since its request; of responses only'))),
  is_error: v.optional(v.pipe(v.literal(true), v.description('Present on a response that is a JSON-RPC error'))),
  trace_id: v.optional(v.pipe(v.string(), v.description('The trace of its call, where the message names it'))),
  body: v.optional(
    v.pipe(
      v.string(),
      v.description('JSON text of the message, redacted, or of its shape; absent with `inspect.bodies: "off"`'),
    ),
  ),
  body_truncated: v.optional(
    v.pipe(v.literal(true), v.description('Present where only a part of the message is in `body`, or none of it')),
  ),
});
/** One JSON-RPC message that has passed between Portico and a server. */
export type WireFrame = Readonly<v.InferOutput<typeof frameSchema>>;

/** How much of the traffic is kept. */
export const frameCountsSchema = v.object({
  frames: v.pipe(count, v.description('Messages that are kept')),
  bytes: v.pipe(count, v.description('Memory that they take')),
  max_bytes: v.pipe(count, v.description('`inspect.maxMb`')),
  evicted: v.pipe(count, v.description('Messages that gave way to later ones since the recording began')),
  dropped: v.pipe(
    count,
    v.description('Messages that are not kept: they came faster than they could be redacted, or could not be read'),
  ),
  reader_dropped: v.pipe(count, v.description('Messages that slow readers of streams did not get')),
});
export type FrameCounts = Readonly<v.InferOutput<typeof frameCountsSchema>>;

/** Answer of `GET /v1/inspect`. */
export const framesListSchema = v.object({
  ok: v.literal(true),
  frames: v.pipe(v.array(frameSchema), v.description('Newest first')),
  complete: v.pipe(v.boolean(), v.description('Whether all messages that match and are kept are in it')),
  cursor: v.pipe(
    v.string(),
    v.description('The newest message of all: `Last-Event-ID` of `GET /v1/inspect/stream` goes on behind it'),
  ),
  counts: frameCountsSchema,
});

/** Answer of `GET /v1/traces/{id}/frames`. */
export const traceFramesSchema = v.object({
  ok: v.literal(true),
  frames: v.pipe(v.array(frameSchema), v.description('Oldest first')),
  complete: v.pipe(v.boolean(), v.description('Whether all messages of the trace that are kept are in it')),
});
