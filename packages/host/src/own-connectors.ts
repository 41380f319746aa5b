// Servers whose sessions the embedding program opens itself. All others go to the connector that speaks MCP.
import type { UpstreamConnector } from '@portico/upstream-pool';

/** @param own connectors of the program by server id, as `HostOptions` has them */
export function withOwnConnectors(
  mcp: UpstreamConnector,
  own: Readonly<Record<string, UpstreamConnector>> = {},
): UpstreamConnector {
  const connectors = new Map(Object.entries(own));
  if (connectors.size === 0) return mcp;
  return { ...mcp, connect: (id, ...rest) => (connectors.get(id) ?? mcp).connect(id, ...rest) };
}
