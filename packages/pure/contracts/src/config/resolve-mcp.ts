// The listener for MCP clients: defaults, and what must fit the rest of the configuration.
import type { Issue } from '../issues.js';
import { defaultMcp, defaultMcpHttpServer, type McpHttpServer, type McpSettings } from './config.js';
import type { RawConfig } from './file-schema.js';
import type { RawMcpHttpServer } from './mcp-schema.js';

export function mcpIssues({ mcpHttpServer, profiles }: RawConfig): Issue[] {
  const profile = mcpHttpServer?.profile;
  if (profile === undefined || profile === null || Object.hasOwn(profiles ?? {}, profile)) return [];
  return [{ path: 'mcpHttpServer.profile', message: `no profile "${profile}" in profiles` }];
}

export function toMcp(raw: RawConfig['mcp']): McpSettings {
  return { firstListWaitMs: raw?.firstListWaitMs ?? defaultMcp.firstListWaitMs };
}

export function toMcpHttpServer(raw: RawMcpHttpServer): McpHttpServer {
  return {
    port: raw.port ?? defaultMcpHttpServer.port,
    bind: raw.bind ?? defaultMcpHttpServer.bind,
    sseKeepAliveMs: raw.sseKeepAliveMs === undefined ? defaultMcpHttpServer.sseKeepAliveMs : raw.sseKeepAliveMs,
    ssePollMs: raw.ssePollMs ?? defaultMcpHttpServer.ssePollMs,
    jsonResponse: raw.jsonResponse ?? defaultMcpHttpServer.jsonResponse,
    profile: raw.profile ?? null,
    allowedHosts: raw.allowedHosts ?? [],
    allowedOrigins: raw.allowedOrigins ?? [],
  };
}
