// What a Portico process tells of itself. Only logs so far.
export {
  createLogger,
  isLogThreshold,
  type LoggerOptions,
  type LogThreshold,
  logLevels,
  type WriteLog,
} from './logger.js';
