// The configuration file as the control plane's source: read, edited in place and followed. It is written whole or not at all.
import { basename, dirname } from 'node:path';
import { applyEdits, type ConfigSource, issuesOf, type LoadedConfig, type Log } from '@portico/control-plane';
import { watch } from 'chokidar';
import { editText } from './edit-text.js';
import { ConfigError, parseConfig, readConfigFile, readText } from './load-config.js';
import { createResolver, type ResolverOptions } from './resolver.js';
import { FileChanged, replaceWholeFile } from './whole-file.js';

/** Maximum attempts of an edit with concurrent writes. */
const maxTries = 5;
/** An editor that writes in pieces has finished when nothing has happened for this time. */
const settledMs = 100;

/** Reads the file once. @throws ConfigError */
export async function openConfigFile(file: string, options: ResolverOptions): Promise<ConfigSource> {
  let seen: string | undefined; // what the file held last, as far as we know
  let inForce = ''; // what it held when it could be used last
  let loaded: LoadedConfig;
  const resolve = createResolver(file, options);

  const refuseBroken = (found: string): void => {
    try {
      resolve(found);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const message = 'the configuration file is invalid; fix it before you change anything else';
      throw new ConfigError(file, [{ path: '', message }, ...error.issues]);
    }
  };
  const load = async () => {
    seen = undefined; // after a failed read, any content counts as new
    const found = await readText(file);
    seen = found;
    loaded = resolve(found);
    inForce = found;
    return loaded;
  };
  const tryToChange = async (edit: Parameters<ConfigSource['change']>[0]): Promise<LoadedConfig | undefined> => {
    const { text: before, read } = await readConfigFile(file);
    const value = parseConfig(file, before);
    const edits = edit(value, (tried) => issuesOf(() => resolve(editText(before, tried))));
    const after = editText(before, edits);
    if (before !== inForce) refuseBroken(before);
    const next = resolve(after);
    refuseTwins(file, next, applyEdits(value, edits));
    try {
      if (after !== before) await replaceWholeFile(file, read, Buffer.from(after, 'utf8'));
    } catch (error) {
      if (error instanceof FileChanged) return undefined;
      throw error;
    }
    seen = after;
    inForce = after;
    loaded = next;
    return next;
  };

  const { alone, between } = createWatchfulness();
  /** Reads the file between our own writes, so that they do not count as another program's. */
  const readBetween = () => between(() => readText(file).catch(() => undefined));

  await load();
  return {
    path: file,
    current: () => loaded,
    load: () => alone(load),
    change: (edit) =>
      alone(async () => {
        for (let tries = 1; tries <= maxTries; tries++) {
          const done = await tryToChange(edit);
          if (done !== undefined) return done;
        }
        throw new ConfigError(file, [{ path: '', message: 'other programs keep changing the file; try again' }]);
      }),
    watch(listener) {
      let isOver = false;
      const onChange = async () => {
        const found = await readBetween();
        if (isOver || found === seen) return;
        seen = found; // called once, also when it is invalid or was removed
        await listener('file');
      };
      const end = follow(file, onChange, options.log);
      return () => {
        isOver = true;
        end();
      };
    },
  };
}

/** Distinguishes the daemon's own changes of the file from those of others. */
function createWatchfulness() {
  let edges = 0; // beginnings and ends of own changes
  let busy: Promise<unknown> = Promise.resolve();
  return {
    alone<T>(work: () => Promise<T>): Promise<T> {
      edges += 1;
      const done = work().finally(() => {
        edges += 1;
      });
      busy = done.catch(() => {});
      return done;
    },
    /** Looks until nothing of ours has come in between. */
    async between<T>(look: () => Promise<T>): Promise<T> {
      for (;;) {
        await busy;
        const before = edges;
        const found = await look();
        if (edges === before) return found;
      }
    },
  };
}

/** Editors replace files rather than write them, so the folder is watched, for this name. */
export function follow(file: string, onChange: () => Promise<void>, log: Log): () => void {
  const folder = dirname(file);
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: settledMs, pollInterval: settledMs / 2 },
    ignored: (path) => path !== folder && basename(path) !== basename(file),
  });
  watcher.on('ready', () => void onChange()); // what was changed before it was watched
  watcher.on('all', () => void onChange());
  watcher.on('error', (error) =>
    log('warn', 'a file of the configuration cannot be watched; reload it by hand', { file, error }),
  );
  return () => void watcher.close();
}

/** The last of two fields with one name counts, but an edit finds the first. */
function refuseTwins(file: string, { file: found }: LoadedConfig, meant: LoadedConfig['file']): void {
  if (sorted(found) === sorted(meant)) return;
  const message = 'the file has two fields of one name where it would be changed; remove one of them';
  throw new ConfigError(file, [{ path: '', message }]);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
