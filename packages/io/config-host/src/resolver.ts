// Resolves the texts of one configuration where it runs. Reports every problem, and names unknown fields.
import { type Config, describeIssues, type Issue } from '@portico/contracts';
import type { LoadedConfig, Log } from '@portico/control-plane';
import { ConfigError, resolveText } from './load-config.js';

export interface ResolverOptions {
  /** Problems of a valid configuration that depend on where it runs. */
  readonly check: (config: Config) => readonly Issue[];
  readonly log: Log;
}

/** The returned function throws ConfigError. @param name as messages name the configuration */
export function createResolver(name: string, { check, log }: ResolverOptions): (text: string) => LoadedConfig {
  let unknown = '';
  return (text) => {
    const { value, config, unknownFields, warnings } = resolveText(name, text);
    const issues = check(config);
    if (issues.length > 0) throw new ConfigError(name, issues);
    if (unknownFields.length > 0 && unknownFields.join() !== unknown)
      log('warn', 'the configuration has fields that Portico does not know', {
        unknownFields,
        hint: describeIssues(warnings),
      });
    unknown = unknownFields.join();
    return { file: value, config };
  };
}
