// Serves the client at the other end of a pipe, in whichever era it opens.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '@portico/control-plane';
import type { Announcer } from '../changes/announcer.js';
import type { McpFacadeDeps } from '../deps.js';
import type { SurfaceOf } from '../server/build-server.js';
import { createSession } from '../server/session.js';
import { createWatches } from '../server/watches.js';
import { LineTransport, type Pipe } from './line-transport.js';
import { createListens } from './listens.js';

export interface ServedPipe {
  /** Resolves when the client has gone, or the pipe was closed. */
  readonly closed: Promise<void>;
  /** Ends what runs for it. The streams are left to whoever opened them. */
  close(): Promise<void>;
}

export function servePipe(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  pipe: Pipe,
  caller: Caller,
): ServedPipe {
  const listens = createListens(() => createWatches(deps.plane, caller, () => surfaceOf(caller)));
  const transport = new LineTransport(pipe, {
    prepare: listens.prepare,
    onSent: listens.sent,
    onSlow: (reason) => deps.log('warn', reason),
  });
  const served = serveStdio(
    ({ era }) => {
      const input = { deps, surfaceOf, era, caller, listenedUris: listens.urisOf };
      const session = createSession(input, announcer.add);
      session.mcp.server.onclose = () => {
        announcer.remove(session);
        session.close();
      };
      return session.mcp;
    },
    { transport, onerror: (error) => deps.log('debug', 'a message over MCP was refused', { reason: error.message }) },
  );
  return { closed: transport.closed.finally(listens.close), close: served.close };
}
