// Configuration files on disk.
export { type ConfigFileOptions, openConfigFile } from './config-file.js';
export { ConfigError, type LoadedFile, loadConfig } from './load-config.js';
