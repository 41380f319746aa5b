// Serves calls of tools straight from node:http, for clients of both eras, where the request is written in the plainest
// way. Everything else is left to `fetch`, with the body where that was read: no rule of HTTP or MCP is repeated here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonObject, securityHeaders } from '@portico/contracts';
import type { Authentication, Caller, Log } from '@portico/control-plane';
import { maxKnownHosts } from '@portico/policy-engine';
import type { HeaderSource } from '../calls/request-context.js';
import { refusePlace } from './guard.js';
import { headersOf, isPlainPost, parseMessage, readWhole } from './node-request.js';
import type { McpHttpOptions } from './options.js';

/**
 * Answers the request, or says by false that it has not touched it.
 * @param serveWeb serves it by `fetch` after all, with its body where that has been read
 */
export type ServeNode = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  serveWeb: (incoming: IncomingMessage, outgoing: ServerResponse, body?: Buffer) => void,
) => boolean;

export interface PlainRequest {
  readonly message: JsonObject;
  readonly headers: HeaderSource;
  readonly caller: Caller;
  readonly outgoing: ServerResponse;
}

export interface NodeFaceInput {
  readonly options: McpHttpOptions;
  /** Whether there is such a view. */
  readonly isServed: (caller: Caller) => boolean;
  /** Serves the call, or leaves it by false. */
  readonly serve: (request: PlainRequest) => boolean;
  readonly log: Log;
}

export function createNodeFace({ options, isServed, serve, log }: NodeFaceInput): ServeNode {
  const isPlaced = createPlaceCheck(options);

  return (incoming, outgoing, serveWeb) => {
    if (!isPlainPost(incoming) || !isPlaced(incoming.headers.host)) return false;
    const fail = (error: unknown) => {
      log('error', 'a call over MCP could not be served', { error });
      refuseDefect(outgoing);
    };
    const onBody = (bytes: Buffer | undefined, caller: Caller) => {
      if (bytes === undefined) return;
      try {
        const message = parseMessage(bytes);
        const headers = headersOf(incoming);
        if (message === undefined || !serve({ message, headers, caller, outgoing }))
          serveWeb(incoming, outgoing, bytes);
      } catch (error) {
        fail(error);
      }
    };
    const onAuthenticated = (authentication: Authentication) => {
      if (authentication.kind === 'refused') return serveWeb(incoming, outgoing);
      const caller = { ...authentication.identity, profile: options.profile };
      if (!isServed(caller)) return serveWeb(incoming, outgoing);
      readWhole(incoming, (bytes) => onBody(bytes, caller));
    };
    // A microtask later, where the body has mostly arrived: waiting for its events costs more than reading it.
    Promise.resolve(options.authenticate(incoming.headers.authorization, incoming.socket))
      .then(onAuthenticated)
      .catch(fail);
    return true;
  };
}

/** The answer that `fetch` gives to a request that fails from a defect. */
function refuseDefect(outgoing: ServerResponse): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const error = { code: internalError, message: 'Internal error; the log has the details' };
  outgoing.writeHead(500, { ...securityHeaders, 'Content-Type': 'application/json' });
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

const internalError = -32603;

function createPlaceCheck(options: McpHttpOptions): (host: string | undefined) => boolean {
  const known = new Set<string>();
  return (host) => {
    if (host === undefined || !/^[\w.:[\]-]+$/.test(host)) return false;
    if (known.has(host)) return true;
    const headers = { get: (name: string) => (name === 'host' ? host : null) };
    if (!URL.canParse(`http://${host}`) || new URL(`http://${host}`).host !== host) return false;
    if (refusePlace(options, headers) !== undefined) return false;
    if (known.size < maxKnownHosts) known.add(host);
    return true;
  };
}
