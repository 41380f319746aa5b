// Serves the client at the other end of a pipe, in whichever era it opens.
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { type Caller, CallSource, sourceOfClientInfo } from '@portico/control-plane';
import { type Connection, withSource } from '../calls/connection.js';
import type { Announcer } from '../changes/announcer.js';
import type { McpFacadeDeps } from '../deps.js';
import { type CallWire, createDirectCalls, type DirectCalls } from '../direct/direct-calls.js';
import { createKnownEnvelopes } from '../direct/known-envelopes.js';
import { type RpcId, toPlainCall } from '../direct/plain-call.js';
import type { SurfaceOf } from '../server/build-server.js';
import { createSession } from '../server/session.js';
import { createWatches } from '../server/watches.js';
import { LineTransport, type Pipe } from './line-transport.js';
import { createListens } from './listens.js';

/** How long a pipe that is closed waits for its calls: one that has ended is answered only once its record is written. */
const lastAnswersMs = 1000;

export interface ServedPipe {
  /** Resolves when the client has gone, or the pipe was closed. */
  readonly closed: Promise<void>;
  /**
   * Waits up to a second for the calls that run, so that those that end are answered, and cancels the rest. The streams
   * stay open: their opener closes them.
   */
  close(): Promise<void>;
}

export function servePipe(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  pipe: Pipe,
  givenCaller: Caller,
): ServedPipe {
  const known = createKnownEnvelopes('stdio');
  /** Its source gets the client's name with `initialize`. */
  const caller: { -readonly [Name in keyof Caller]: Caller[Name] } = {
    ...givenCaller,
    source: new CallSource({ channel: 'stdio' }),
  };
  let isNamed = false;
  const listens = createListens(() => createWatches(deps.plane, caller, () => surfaceOf(caller)));
  let direct: DirectCalls | undefined;
  let connection: Connection | undefined;
  const transport: LineTransport = new LineTransport(pipe, {
    serve(message) {
      if (direct === undefined || connection === undefined) return false;
      const call = toPlainCall(message, connection.era, known);
      if (call === undefined) return false;
      connection = withSource(connection, call.source);
      direct.run(call, wireOf(transport, call.id), connection);
      return true;
    },
    prepare(message) {
      direct?.cancelBy(message);
      if (message.method === 'initialize' && !isNamed) {
        isNamed = true;
        caller.source = sourceOfClientInfo(
          'stdio',
          isJsonObject(message.params) ? message.params.clientInfo : undefined,
        );
      }
      return listens.prepare(message);
    },
    onSent: listens.sent,
    onSlow: (reason) => deps.log('warn', reason),
  });
  const served = serveStdio(
    ({ era }) => {
      const onRequest = (envelope: JsonObject | undefined) => {
        connection = session.connection;
        direct ??= createDirectCalls({ deps, surfaceOf, server: session.mcp.server });
        return envelope && known.add(envelope);
      };
      const input = { deps, surfaceOf, era, caller, listenedUris: listens.urisOf, onRequest };
      const session = createSession(input, announcer.add);
      session.mcp.server.onclose = () => {
        direct?.close();
        direct = undefined;
        announcer.remove(session);
        session.close();
      };
      return session.mcp;
    },
    { transport, onerror: (error) => deps.log('debug', 'a message over MCP was refused', { reason: error.message }) },
  );
  return {
    closed: transport.closed.finally(listens.close),
    async close() {
      await direct?.answered(lastAnswersMs);
      await served.close();
    },
  };
}

function wireOf(transport: LineTransport, id: RpcId): CallWire {
  return {
    notify: (message) => void transport.send(message as unknown as JSONRPCMessage), // made as one
    answer: (text) => transport.sendAnswer(id, text),
    close() {}, // the pipe is over by itself
  };
}
