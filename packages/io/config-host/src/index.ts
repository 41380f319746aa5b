// Configuration files on disk.
export { ConfigError, type LoadedConfig, loadConfig } from './load-config.js';
