// Configuration files on disk, and the secrets that they name.
export type { ServeCommand, UserEnvironment } from './ai-clients/client.js';
export { type AiClientsOptions, createAiClients } from './ai-clients/create-ai-clients.js';
export { type FoundServer, type FoundServers, type ImportRules, planImport } from './ai-clients/plan-import.js';
export { openConfigFile } from './config-file.js';
export { givenObject, openConfigObject } from './config-object.js';
export { ConfigError, type LoadedFile, loadConfig } from './load-config.js';
export { openLockFile } from './lock-file.js';
export type { ResolverOptions } from './resolver.js';
export { type Keyring, KeyringUnavailable, type OpenKeyring } from './secrets/keyring.js';
export { createKeyringEntry, type KeyringEntry } from './secrets/keyring-entry.js';
export { createSecretSource, type SecretSourceOptions } from './secrets/secret-source.js';
