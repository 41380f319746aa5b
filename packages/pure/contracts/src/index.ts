// Every shape that crosses a boundary of Portico. Data and checks only; nothing here has an effect.
export * from './config/config.js';
export { configFileSchema, type RawConfig } from './config/file-schema.js';
export { configJsonSchema } from './config/json-schema.js';
export { resolveConfig, unknownConfigFields } from './config/resolve-config.js';
export type { UpstreamAuth, UpstreamProtocolVersion } from './config/server-schema.js';
export * from './definitions.js';
export * from './errors.js';
export * from './issues.js';
export * from './json.js';
export { maxNesting, nestsDeeperThan } from './nesting.js';
export * from './wire/approvals.js';
export * from './wire/catalog.js';
export * from './wire/envelope.js';
export * from './wire/execution.js';
export * from './wire/idempotency.js';
export { openApiDocument } from './wire/openapi.js';
export { type Route, routes } from './wire/routes.js';
export * from './wire/servers.js';
