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
  /**
   * Problems beside the file that do not keep it from being in force: changes of other daemons that cannot be used
   * here.
   */
  readonly issues?: readonly Issue[];
}

/** Sets the value at a path, making the objects on the way to it; `undefined` removes what is there. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: JsonValue | undefined;
}

/** The problems that the file would have after the edits. */
export type ProblemsOf = (edits: readonly ConfigEdit[]) => readonly Issue[];

export type MakeFileEdits = (file: JsonObject, problemsOf: ProblemsOf) => readonly ConfigEdit[];

/** The origin of a change: an edit of the file itself, or changes of other daemons in theirs. */
export type ChangeCause = 'file' | 'daemon';

export interface ConfigSource {
  /** The location of the file, for messages. */
  readonly path: string;
  /** As it was loaded or changed last. */
  current(): LoadedConfig;
  /** As it is kept now. @throws InvalidConfig */
  load(): Promise<LoadedConfig>;
  /**
   * Changes the file in its current state; everything that is not edited stays as it is written. Nothing is written
   * unless the result is valid. @throws InvalidConfig, and any error of `edit`; PorticoError INTERNAL_ERROR for a
   * change that is written but not shared with other daemons yet, which `watch` reports when it is
   */
  change(edit: MakeFileEdits): Promise<LoadedConfig>;
  /** Calls the listener after a change from outside, for it to load. The returned function ends that. */
  watch(listener: (cause: ChangeCause) => void | Promise<void>): () => void;
}

/** Returns a constant configuration: for embedders that configure in code. */
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
  /** Simulates a change from outside. */
  replace(file: JsonObject): void;
}

/** Kept nowhere. @param resolve throws InvalidConfig */
export function createMemoryConfigSource(file: JsonObject, resolve: (file: JsonObject) => Config): MemoryConfigSource {
  let written = file;
  let loaded: LoadedConfig = { file, config: resolve(file) };
  const listeners = new Set<Parameters<ConfigSource['watch']>[0]>();
  const load = (next: JsonObject) => {
    loaded = { file: next, config: resolve(next) };
    written = next;
    return loaded;
  };
  return {
    path: 'memory',
    current: () => loaded,
    load: async () => load(written),
    async change(edit) {
      const problemsOf: ProblemsOf = (edits) => issuesOf(() => resolve(applyEdits(written, edits)));
      return load(applyEdits(written, edit(written, problemsOf)));
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace(next) {
      written = next;
      for (const listener of listeners) void listener('file');
    },
  };
}

/** Why a configuration cannot be used; empty if it can. */
export function issuesOf(resolve: () => unknown): readonly Issue[] {
  try {
    resolve();
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.issues;
    throw error;
  }
}

/** Returns the configuration with the edits applied in order; a value of `undefined` removes the field. */
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
