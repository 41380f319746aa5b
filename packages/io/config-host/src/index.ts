// Configuration files on disk.
export type { Place, ServeCommand } from './ai-clients/client.js';
export { type AiClientsOptions, createAiClients } from './ai-clients/create-ai-clients.js';
export { type FoundServer, type FoundServers, type ImportRules, planImport } from './ai-clients/plan-import.js';
export { type ConfigFileOptions, openConfigFile } from './config-file.js';
export { ConfigError, type LoadedFile, loadConfig } from './load-config.js';
