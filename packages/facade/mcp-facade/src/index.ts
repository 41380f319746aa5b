// The MCP facade. It knows the protocol and the control plane, nothing of upstreams.
import type { McpFacadeDeps } from './deps.js';
import type { McpFacade } from './facade.js';

export type { McpFacadeDeps } from './deps.js';
export type { McpFacade } from './facade.js';
export type { McpHttp } from './http/http-face.js';
export type { ServeNode } from './http/node-face.js';
export type { McpHttpOptions } from './http/options.js';
export { createGatheredLines, type GatheredLines } from './pipe/gathered-lines.js';
export type { Pipe } from './pipe/line-transport.js';
export { type LineEvents, type LineReader, readLines, tooLongMessage } from './pipe/lines.js';
export type { ServedPipe } from './pipe/serve-pipe.js';

/** Loads the MCP SDK with the first one: that takes a while, and a service without MCP clients never needs it. */
export async function openMcpFacade(deps: McpFacadeDeps): Promise<McpFacade> {
  const { createMcpFacade } = await import('./facade.js');
  return createMcpFacade(deps);
}
