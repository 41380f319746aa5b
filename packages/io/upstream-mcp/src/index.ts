// MCP client sessions to upstream servers over stdio and HTTP, both protocol eras, behind the pool's connector port.
export { createMcpConnector, type LogLevel, type McpConnector, type McpConnectorOptions } from './connector.js';
export { installedPackage } from './installed-package.js';
export {
  createMemoryOAuthStore,
  type OAuthKey,
  type OAuthRecord,
  type OAuthRegistration,
  type OAuthStore,
  type OAuthTokens,
} from './oauth/store.js';
export { createKnownSecrets, type KnownSecrets } from './secrets/known-secrets.js';
