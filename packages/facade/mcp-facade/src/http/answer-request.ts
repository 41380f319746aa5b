// How requests of a session are answered: as JSON, or by streams that can be read on after a connection is lost
// (MCP 2025-11-25, streamable HTTP, resumability).
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { JsonValue } from '@portico/contracts';
import type { ExactResponses } from './exact-responses.js';
import type { HeldBytes } from './held-bytes.js';
import { asJson } from './prefer-json.js';
import { refusedCode, rpcRefusal } from './replies.js';
import type { SessionStreams } from './session-streams.js';
import { isStream, pump, toStreamResponse, type WaitingRoom } from './stream-response.js';

export interface SessionRequest {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly streams: SessionStreams;
  readonly request: Request;
  readonly body: JsonValue | undefined;
  /** Counts what waits for the connection of the request. */
  readonly held: HeldBytes;
  /** Whether an answer leaves as JSON where nothing comes before it. */
  readonly prefersJson: boolean;
  readonly exact: ExactResponses;
}

const notResumable =
  'Last-Event-ID: what came after it is not kept in this session, or not all of it (limits.resumableEvents, limits.resumableBytes); a request that was sent may have been carried out: see what it did before you send it again';
const revisionOf = ({ headers }: Request) => headers.get('mcp-protocol-version');

/** @param onRunning called with the work on a request that goes on after its client has disconnected */
export async function answerRequest(
  asked: SessionRequest,
  onRunning: (work: Promise<void>) => void,
): Promise<Response> {
  const { transport, streams, request, body, prefersJson, exact } = asked;
  const given = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  if (given.body === null || !isStream(given)) return given;
  const source = exact.restoreEvents(given.body).getReader();
  let first: Uint8Array | undefined;
  if (prefersJson && !Array.isArray(body)) {
    first = (await source.read()).value;
    const plain = asJson(given.headers, first);
    if (plain !== undefined) {
      await source.cancel();
      return plain;
    }
  }
  const stream = streams.open();
  const answer = toStreamResponse(stream, given.headers, roomOf(asked), (reader) =>
    stream.begin(reader, revisionOf(request)),
  );
  onRunning(pump(source, stream, body, first));
  return answer;
}

/** The stream that belongs to no request, or with `Last-Event-ID` the rest of the one that the event was of. */
export async function answerStream(asked: SessionRequest): Promise<Response> {
  const { transport, streams, request } = asked;
  const { standalone } = streams;
  const lastEventId = request.headers.get('last-event-id');
  const takesStream = request.headers.get('accept')?.includes('text/event-stream') === true;
  if (takesStream && lastEventId !== null && lastEventId !== '') return resume(asked, lastEventId);
  if (takesStream && standalone !== undefined) {
    if (standalone.isRead) return refuse(409, 'the session has a stream open; only one is allowed');
    return toStreamResponse(standalone, request.headers, roomOf(asked), (reader) =>
      standalone.begin(reader, revisionOf(request)),
    );
  }
  const given = await transport.handleRequest(request);
  if (given.body === null || !isStream(given)) return given;
  const stream = streams.open('nothing');
  streams.standalone = stream;
  pump(given.body.getReader(), stream).catch(() => {}); // it ends with the session
  return toStreamResponse(stream, given.headers, roomOf(asked), (reader) => stream.begin(reader, revisionOf(request)));
}

function resume(asked: SessionRequest, lastEventId: string): Response {
  const position = asked.streams.find(lastEventId);
  if (position === undefined) {
    return refuse(400, notResumable);
  }
  const { stream, after } = position;
  return toStreamResponse(stream, asked.request.headers, roomOf(asked), (reader) => stream.resume(reader, after));
}

function roomOf({ streams, request, held }: SessionRequest): WaitingRoom {
  return { maxBytes: streams.maxWaitingBytes, onWaiting: (bytes) => held.add(request, bytes) };
}

function refuse(status: number, message: string): Response {
  return rpcRefusal({ status, code: refusedCode, message });
}
