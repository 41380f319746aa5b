// Every shape that crosses a boundary of Portico. Data and checks only; nothing here has an effect.

export { type Bounds, clientBounds, excessOf, nestsDeeperThan, upstreamBounds } from './bounds.js';
export type { BudgetScope, BudgetWindow, ExhaustedEffect } from './config/budgets-schema.js';
export { allClientCapabilities, type QuestionKind } from './config/client-capabilities.js';
export * from './config/config.js';
export type { ConfigField, ConfigInput, RawConfig } from './config/file-schema.js';
export { isHeaderName } from './config/header-issues.js';
export { configJsonSchema } from './config/json-schema.js';
export type { LockMode } from './config/lock-schema.js';
export { type LoopEffect, loopEffects } from './config/loops-schema.js';
export { isSecretName, mask, maskSecrets, unmask } from './config/mask.js';
export type { McpExposure } from './config/mcp-schema.js';
export * from './config/notice-receivers.js';
export type { OAuth2Auth } from './config/oauth-schema.js';
export { webhookFields } from './config/policy-schema.js';
export * from './config/rbac.js';
export { idPattern, resolveConfig } from './config/resolve-config.js';
export {
  type NameableClass,
  serverFields,
  type UpstreamAuth,
  type UpstreamProtocolVersion,
} from './config/server-schema.js';
export { unknownConfigFields, unknownFieldWarnings } from './config/unknown-fields.js';
export * from './definitions.js';
export * from './errors.js';
export {
  canonicalNumber,
  exactJson,
  exactJsonLines,
  exactNumbers,
  exactTextOf,
  gatherExact,
  keepExact,
  mayHoldExact,
  parseExact,
  setExact,
  withMember,
  writeExact,
  writeExactLines,
} from './exact-numbers.js';
export * from './issues.js';
export * from './json.js';
export { type JsonMember, membersOf, withoutMembers } from './json-members.js';
export * from './mcp.js';
export * from './mcp-apps.js';
export { editsBetween, nearestOf, nearOnes, suggestion } from './nearest.js';
export { parseJson } from './parse-json.js';
export { toPlainJson, toPlainLines, toPlainText } from './plain-text.js';
export * from './secret-lookup.js';
export * from './secret-values.js';
export { isUriTooLong, uriLength } from './uri-bounds.js';
export * from './wire/activity.js';
export * from './wire/approval-view.js';
export * from './wire/approvals.js';
export * from './wire/audit.js';
export * from './wire/budgets.js';
export * from './wire/catalog.js';
export * from './wire/clients.js';
export * from './wire/configuration.js';
export * from './wire/console.js';
export * from './wire/envelope.js';
export * from './wire/execution.js';
export * from './wire/grants.js';
export * from './wire/idempotency.js';
export * from './wire/inspect.js';
export { wireJsonSchema } from './wire/json-schema.js';
export * from './wire/lock.js';
export * from './wire/notices.js';
export { openApiDocument } from './wire/openapi.js';
export * from './wire/policy-request.js';
export * from './wire/policy-trial.js';
export { documentText, readEnvelope, type WrittenEnvelope, writtenDataOf } from './wire/read-envelope.js';
export { type Route, type RouteAccess, type RouteTable, routes } from './wire/routes.js';
export * from './wire/sampling.js';
export { securityHeaders } from './wire/security-headers.js';
export * from './wire/servers.js';
export * from './wire/tasks.js';
export * from './wire/ticket-link.js';
export * from './wire/traces.js';
export * from './words/index.js';
