// Sessions of 2025-11-25: begun by `initialize`, found by their id, ended by the client, or when they were not used for long.
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { type Caller, shareUsedUp, sourceOfClientInfo } from '@portico/control-plane';
import type { Connection } from '../calls/connection.js';
import type { Announcer } from '../changes/announcer.js';
import type { McpFacadeDeps } from '../deps.js';
import { createDirectCalls, type DirectCalls } from '../direct/direct-calls.js';
import { createKnownEnvelopes } from '../direct/known-envelopes.js';
import { toPlainCall } from '../direct/plain-call.js';
import type { SurfaceOf } from '../server/build-server.js';
import { createSession } from '../server/session.js';
import { answerRequest, answerStream, type SessionRequest } from './answer-request.js';
import { onBodyEnd } from './body-end.js';
import type { ExactResponses } from './exact-responses.js';
import type { HeldBytes } from './held-bytes.js';
import { EventRoom } from './kept-events.js';
import type { PlainRequest } from './node-face.js';
import { NodeReply, type ReplyOptions, replyHeadsWith, writePlainHead } from './node-reply.js';
import type { McpHttpOptions } from './options.js';
import { refusedCode, rpcRefusal } from './replies.js';
import { createSessionRoom, type SessionRoom } from './session-room.js';
import { SessionStreams } from './session-streams.js';

export interface Sessions {
  /** Whether a request belongs to a session, or begins one. */
  owns(request: Request, body: JsonValue | undefined): boolean;
  handle(request: Request, body: JsonValue | undefined, caller: Caller): Promise<Response>;
  /** Serves a plain call of a session without the SDK, or leaves it by false. */
  serveDirect(request: PlainRequest): boolean;
  /** Ends every session. */
  close(): Promise<void>;
}

interface Open {
  /** The owner of the session. */
  readonly caller: Caller;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly connection: Connection;
  readonly streams: SessionStreams;
  /** Serves calls without the SDK, once that has handed over a request of the session. */
  direct: DirectCalls | undefined;
  /** How the answers to these leave. */
  reply: ReplyOptions | undefined;
  /** Requests and streams that are open at it, and calls that run. */
  exchanges: number;
  lastUsedMs: number;
  /** Gives its place to others; does nothing the second time. */
  readonly leave: () => void;
}

const defaultIdleMs = 3_600_000;
const sweepMs = 60_000;
/** Maximum size of the events that all sessions of a listener keep for clients that reconnect. */
const maxKeptBytes = 64 * 1024 * 1024;
const sessionNotFound = -32001;
/** MCP 2026-07-28, UnsupportedProtocolVersionError: what a client finds out by which versions are served without a session. */
const unsupportedVersion = -32022;
/** A version that is not here may still be one that the SDK knows. */
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'];
const modernVersion = '2026-07-28';
const lostSession = `the request is of no session: begin a new one with initialize, or name protocol version ${modernVersion}, which needs none`;
const noEnvelopes = createKnownEnvelopes('mcp-http');

/** The answer to a request of the revisions that have sessions which is of none; undefined for any other. */
export function refuseLost({ headers }: Request, body: JsonValue | undefined): Response | undefined {
  const version = headers.get('mcp-protocol-version');
  if (version !== null && !legacyVersions.includes(version)) return undefined;
  if (!isJsonObject(body) || typeof body.method !== 'string' || body.id === undefined) return undefined;
  const data = { supported: [modernVersion], ...(version === null ? {} : { requested: version }) };
  return rpcRefusal({ status: 400, code: unsupportedVersion, message: lostSession, id: body.id, data });
}

export function createSessions(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  exact: ExactResponses,
  options: McpHttpOptions,
  held: HeldBytes,
): Sessions {
  const { sessionIdleMs = defaultIdleMs, jsonResponse: prefersJson } = options;
  const limits = () => deps.plane.state().config.limits;
  const limit = () => options.maxSessions ?? limits().sessions;
  const keepAliveMs = options.sseKeepAliveMs ?? 0;
  const sessions = new Map<string, Open>();
  const room = createSessionRoom(sessions, limit);
  const eventRoom = new EventRoom(maxKeptBytes);
  const sweep = setInterval(
    () => endIdle(sessions, performance.now() - sessionIdleMs),
    Math.min(sweepMs, sessionIdleMs),
  );
  sweep.unref();

  const begin = async (caller: Caller): Promise<Open | undefined> => {
    const giveBack = room.take(caller.principal);
    if (giveBack === undefined) return undefined;
    const leave = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
      giveBack();
    };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => deps.randomHex(32),
      keepAliveMs,
      onsessioninitialized: (id) => void sessions.set(id, open),
    });
    const onRequest = () => {
      open.direct ??= createDirectCalls({ deps, surfaceOf, server: session.mcp.server });
      open.reply ??= toReply(options, transport.sessionId ?? '', streams);
      return undefined; // who sends it is known since the session began
    };
    const session = createSession({ deps, surfaceOf, era: 'legacy', caller, onRequest }, announcer.add);
    const { connection } = session;
    const streams = new SessionStreams({
      room: eventRoom,
      principal: caller.principal,
      limits,
      keepAliveMs,
      pollMs: options.ssePollMs ?? null,
      tag: deps.randomHex(8),
    });
    const open: Open = {
      caller,
      transport,
      connection,
      streams,
      direct: undefined,
      reply: undefined,
      exchanges: 0,
      lastUsedMs: performance.now(),
      leave,
    };
    transport.onclose = () => {
      leave();
      open.direct?.close();
      open.direct = undefined;
      streams.close();
      announcer.remove(session);
      session.close();
    };
    await session.mcp.connect(exact.mark(transport));
    joinDirect(open);
    return open;
  };

  return {
    serveDirect: (request) => serveDirect(sessions, request),
    owns: (request, body) =>
      request.headers.has('mcp-session-id') || isInitializeRequest(body) || request.method !== 'POST',
    async handle(request, body, caller) {
      const id = request.headers.get('mcp-session-id');
      if (id !== null && !isInitializeRequest(body)) {
        const open = sessions.get(id);
        if (open === undefined || !isSame(open.caller, caller))
          return refuse(404, sessionNotFound, 'Session not found; begin a new one with initialize', body);
        return serve(open, { request, body, held, prefersJson, exact });
      }
      if (!isInitializeRequest(body))
        return refuse(400, refusedCode, 'Mcp-Session-Id is missing; begin with initialize', body);
      const info = isJsonObject(body) && isJsonObject(body.params) ? body.params.clientInfo : undefined;
      const open = await begin({ ...caller, source: sourceOfClientInfo('mcp-http', info) });
      if (open === undefined) return refuse(503, refusedCode, tooManySessions(caller, room, limit()), body);
      try {
        return await serve(open, { request, body, held, prefersJson, exact });
      } finally {
        if (open.transport.sessionId === undefined) open.leave(); // what it sent began no session
      }
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
    },
  };
}

async function serve(open: Open, given: Omit<SessionRequest, 'transport' | 'streams'>): Promise<Response> {
  const end = use(open);
  const { transport, streams } = open;
  const asked = { transport, streams, ...given };
  try {
    const onRunning = (work: Promise<void>) => void work.catch(() => {}).finally(use(open));
    return onBodyEnd(
      given.request.method === 'GET' ? await answerStream(asked) : await answerRequest(asked, onRunning),
      end,
    );
  } catch (error) {
    end();
    throw error;
  }
}

/** Counts an exchange until the function that it gives is called. */
function use(open: Open): () => void {
  open.exchanges += 1;
  return () => {
    open.exchanges -= 1;
    open.lastUsedMs = performance.now();
  };
}

/** How answers of a session leave. */
function toReply(
  { writeHead = writePlainHead, sseKeepAliveMs, jsonResponse }: McpHttpOptions,
  sessionId: string,
  streams: SessionStreams,
): ReplyOptions {
  return {
    heads: replyHeadsWith({ 'mcp-session-id': sessionId }),
    writeHead,
    keepAliveMs: sseKeepAliveMs ?? 0,
    pingsFromStart: true,
    isAlwaysStream: !jsonResponse,
    statusOf: () => 200,
    endWithout: 'stream',
    streams,
  };
}

function serveDirect(
  sessions: ReadonlyMap<string, Open>,
  { message, headers, caller, outgoing }: PlainRequest,
): boolean {
  const id = headers.get('mcp-session-id');
  const open = id === null ? undefined : sessions.get(id);
  if (open?.direct === undefined || open.reply === undefined || !isSame(open.caller, caller)) return false;
  const version = headers.get('mcp-protocol-version');
  if (version !== null && !legacyVersions.includes(version)) return false;
  const call = toPlainCall(message, 'legacy', noEnvelopes);
  if (call === undefined) return false;
  // One for the connection and one for the call, since each may outlast the other.
  const wire = new NodeReply(outgoing, call.id, { req: { headers } }, open.reply, use(open));
  open.direct.run(call, wire, open.connection, use(open));
  return true;
}

/** Calls that the SDK does not know are cancelled, and ask their client, by way of it. */
function joinDirect(open: Open): void {
  const { transport } = open;
  const { onmessage, send } = transport;
  transport.onmessage = (message, extra) => {
    open.direct?.cancelBy(message as unknown as JsonObject); // JSON from the wire
    onmessage?.(message, extra);
  };
  transport.send = (message, sending) => {
    const wire = 'method' in message ? open.direct?.wireOf(sending?.relatedRequestId) : undefined;
    if (wire === undefined) return send.call(transport, message, sending);
    wire.notify(message as unknown as JsonObject); // JSON for the wire
    return Promise.resolve();
  };
}

/** An id alone opens nothing: for another caller, and in another role, the session does not exist. */
function isSame(owner: Caller, caller: Caller): boolean {
  return owner.principal === caller.principal && owner.role === caller.role;
}

function endIdle(sessions: ReadonlyMap<string, Open>, usedBeforeMs: number): void {
  for (const { transport, exchanges, lastUsedMs } of [...sessions.values()]) {
    if (exchanges === 0 && lastUsedMs < usedBeforeMs) void transport.close();
  }
}

function tooManySessions({ principal, actor }: Caller, { heldBy }: SessionRoom, limit: number): string {
  const usedUp = { level: 0, held: heldBy(principal), setting: 'sessions', limit } as const;
  const share = shareUsedUp(usedUp, 'MCP sessions', { principal: actor ?? principal });
  return `${share}, and each is in use; end some of them, or try again later`;
}

function refuse(status: number, code: number, message: string, body: JsonValue | undefined): Response {
  return rpcRefusal({ status, code, message, id: isJsonObject(body) ? body.id : null });
}
