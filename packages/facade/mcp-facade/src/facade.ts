// The control plane as an MCP server, for any number of clients over HTTP and pipes. It never opens a socket by itself.
import { operator } from '@portico/control-plane';
import { createSurfaces } from './catalog/surface.js';
import { type Announcer, createAnnouncer } from './changes/announcer.js';
import type { McpFacadeDeps } from './deps.js';
import { createMcpHttp, type McpHttp } from './http/http-face.js';
import type { McpHttpOptions } from './http/options.js';
import type { Pipe } from './pipe/line-transport.js';
import { type ServedPipe, servePipe } from './pipe/serve-pipe.js';

export interface McpFacade {
  createHttp(options: McpHttpOptions): McpHttp;
  /** @throws CallFailure TOOL_NOT_FOUND for an unknown profile */
  servePipe(pipe: Pipe, profile: string | null): ServedPipe;
  /** Stops notifying clients of changes. The owner of their connections closes these. */
  close(): void;
}

export function createMcpFacade(deps: McpFacadeDeps): McpFacade {
  const surfaceOf = createSurfaces(deps.plane);
  const announcer: Announcer = createAnnouncer(deps.plane);
  return {
    createHttp: (options) => createMcpHttp(deps, surfaceOf, announcer, options),
    servePipe(pipe, profile) {
      const caller = { ...operator, profile }; // who is at the other end is this user, on this machine
      surfaceOf(caller);
      return servePipe(deps, surfaceOf, announcer, pipe, caller);
    },
    close: announcer.close,
  };
}
