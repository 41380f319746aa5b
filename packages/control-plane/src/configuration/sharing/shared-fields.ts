// The fields of their configuration files that daemons share, and those that stay local.
import type { ConfigField, JsonObject } from '@portico/contracts';

/** Its own is what belongs to a host: its ports, its files and folders, and the database that it shares the rest through. */
const isSharedField: Readonly<Record<ConfigField, boolean>> = {
  port: false,
  audit: false,
  mcpHttpServer: false,
  search: false,
  storage: false,
  inspect: false,
  lock: false,
  roots: false,
  toolTimeoutMs: true,
  maxToolTimeoutMs: true,
  taskTimeoutMs: true,
  capabilityAliases: true,
  resourceAliases: true,
  promptAliases: true,
  profiles: true,
  mcpServers: true,
  authToken: true,
  access: false,
  resilience: true,
  policy: true,
  rbac: true,
  idempotency: true,
  sampling: true,
  mcpExposure: true,
  mcp: true,
  limits: true,
  loops: true,
  budgets: true,
  prices: true,
  supervisor: true,
  approvals: false,
};

/** Fields that Portico does not know belong to their owner, and stay where they are. */
export function sharedPart(file: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(file).filter(([field]) => isShared(field)));
}

function isShared(field: string): boolean {
  return Object.hasOwn(isSharedField, field) && isSharedField[field as ConfigField]; // it is one of its keys
}
