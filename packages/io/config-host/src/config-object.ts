// A configuration that is given as an object: read as a file would be, changed in memory only, and never written.
import type { ConfigInput, JsonObject } from '@portico/contracts';
import { type ConfigSource, createMemoryConfigSource } from '@portico/control-plane';
import { ConfigError, parseConfig } from './load-config.js';
import { createResolver, type ResolverOptions } from './resolver.js';

/** As messages name it. */
export const givenObject = 'given as an object';

/** The object itself stays as it is. @throws ConfigError */
export function openConfigObject(object: ConfigInput, options: ResolverOptions): ConfigSource {
  const resolve = createResolver(givenObject, options);
  return createMemoryConfigSource(toFile(object), (file) => resolve(JSON.stringify(file)).config);
}

/** The content of a file for this object. @throws ConfigError */
function toFile(object: ConfigInput): JsonObject {
  return parseConfig(givenObject, toText(object) ?? 'null');
}

/** Undefined for what JSON has no text for, such as a function. */
function toText(object: ConfigInput): string | undefined {
  try {
    return JSON.stringify(object);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(givenObject, [{ path: '', message: `is not plain data: ${reason}` }]);
  }
}
