// The port to the configuration file: it is the only truth about what is configured, also while the service runs.
import {
  type Config,
  describeIssues,
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '@portico/contracts';

/** A configuration that cannot be used, with every problem and the path of its field. */
export class InvalidConfig extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], message = describeIssues(issues)) {
    super(message);
    this.name = 'InvalidConfig';
    this.issues = issues;
  }
}

export interface LoadedConfig {
  /** As it is written, without comments and defaults. */
  readonly file: JsonObject;
  readonly config: Config;
}

/** Sets the value at a path, making the objects on the way to it; `undefined` removes what is there. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: JsonValue | undefined;
}

export interface ConfigSource {
  /** Where it is kept, as people are told. */
  readonly path: string;
  /** As it was loaded or changed last. */
  current(): LoadedConfig;
  /** As it is kept now. @throws InvalidConfig */
  load(): Promise<LoadedConfig>;
  /**
   * Changes what is kept, as it is now, whoever wrote it; everything that is not edited stays as it is written. Nothing
   * is written unless the result can be used. @throws InvalidConfig, and whatever `edit` throws
   */
  change(edit: (file: JsonObject) => readonly ConfigEdit[]): Promise<LoadedConfig>;
  /** Calls the listener after somebody else has changed it. The returned function ends that. */
  watch(listener: () => void): () => void;
}

/** What is given, for good: for embedders that configure in code. */
export function createFixedConfigSource(config: Config): ConfigSource {
  const loaded = { file: {}, config };
  return {
    path: 'none',
    current: () => loaded,
    load: async () => loaded,
    async change() {
      throw new InvalidConfig([{ path: '', message: 'this control plane has no configuration file to change' }]);
    },
    watch: () => () => {},
  };
}

export interface MemoryConfigSource extends ConfigSource {
  /** As if somebody else had written it. */
  replace(file: JsonObject): void;
}

/** Kept nowhere. @param resolve throws InvalidConfig */
export function createMemoryConfigSource(file: JsonObject, resolve: (file: JsonObject) => Config): MemoryConfigSource {
  let written = file;
  let loaded: LoadedConfig = { file, config: resolve(file) };
  const listeners = new Set<() => void>();
  const load = (next: JsonObject) => {
    loaded = { file: next, config: resolve(next) };
    written = next;
    return loaded;
  };
  return {
    path: 'memory',
    current: () => loaded,
    load: async () => load(written),
    change: async (edit) => load(applyEdits(written, edit(written))),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace(next) {
      written = next;
      for (const listener of listeners) listener();
    },
  };
}

export function applyEdits(file: JsonObject, edits: readonly ConfigEdit[]): JsonObject {
  return edits.reduce((edited, { path, value }) => setAt(edited, path, value), file);
}

function setAt(object: JsonObject, [name, ...rest]: readonly string[], value: JsonValue | undefined): JsonObject {
  if (name === undefined) return object;
  const current = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined && (rest.length === 0 || !isJsonObject(current))) {
    const { [name]: _removed, ...others } = object;
    return rest.length === 0 ? others : object; // what is not there needs no removing
  }
  if (rest.length > 0) return { ...object, [name]: setAt(isJsonObject(current) ? current : {}, rest, value) };
  return { ...object, [name]: value };
}
