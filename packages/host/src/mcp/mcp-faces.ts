// The MCP facade of a host: loaded when the first client needs it, closed with everything that it serves.
import type { McpFacade, McpFacadeDeps, McpHttp, McpHttpOptions, Pipe, ServedPipe } from '@portico/mcp-facade';
import { openMcpFacade } from '@portico/mcp-facade';

export interface McpFaces {
  createHttp(options: McpHttpOptions): Promise<McpHttp>;
  /** @throws CallFailure TOOL_NOT_FOUND for an unknown profile */
  servePipe(pipe: Pipe, profile: string | null): Promise<ServedPipe>;
  close(): Promise<void>;
}

export function createMcpFaces(deps: McpFacadeDeps): McpFaces {
  let opening: Promise<McpFacade> | undefined;
  const open = new Set<{ close(): Promise<void> }>();
  const facade = () => {
    opening ??= openMcpFacade(deps);
    return opening;
  };

  return {
    async createHttp(options) {
      const http = (await facade()).createHttp(options);
      open.add(http);
      return http;
    },
    async servePipe(pipe, profile) {
      const served = (await facade()).servePipe(pipe, profile);
      open.add(served);
      void served.closed.then(() => open.delete(served));
      return served;
    },
    async close() {
      await Promise.all([...open].map((face) => face.close()));
      (await opening)?.close();
    },
  };
}
