// The code that V8 has compiled of scripts, kept in files: the next process need not compile it. A file that is not there,
// not whole, or of another build or version of V8 is as good as none. Nothing here fails a start.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

export interface CodeCache {
  /**
   * The script of a file as a function of these parameters. Code that is compiled until the process ends is then cached
   * under the name, unless there was a cache.
   * @param file of ASCII characters only
   * @param parameters in parentheses
   */
  compile(file: string, name: string, parameters: string): Script;
}

export interface CodeCacheOptions {
  readonly folder: string;
  /** Identifies a text: V8 itself compares no more than lengths. */
  readonly build: string;
  /** A process that ends sooner keeps nothing: it has run too little of the code. */
  readonly keepAfterMs: number;
}

export function openCodeCache({ folder, build, keepAfterMs }: CodeCacheOptions): CodeCache {
  const tag = cachedDataVersionTag(); // of the version of V8, its flags and the processor
  // With the version of Node, whose own modules differ.
  const version = `${process.version}-${process.arch}-${tag.toString(16)}`;
  return {
    compile(file, name, parameters) {
      const changedMs = statSync(file).mtimeMs;
      const own = `${name}-${build}.${Math.floor(changedMs).toString(36)}-`; // of the script as it is, be it changed by hand
      const kept = join(folder, `${own}${version}.bin`);
      const cachedData = readKept(kept);
      const source = `(function${parameters}{${readFileSync(file, 'latin1')}\n})`; // read faster than UTF-8, and half as large
      const options = { filename: file, ...(cachedData === undefined ? {} : { cachedData }) };
      const script = withFlagsOf(tag, () => new Script(source, options));
      if (cachedData === undefined || script.cachedDataRejected === true) {
        process.once('exit', () => {
          if (performance.now() < keepAfterMs) return;
          attempt(() => {
            if (statSync(file).mtimeMs !== changedMs) return; // another build has taken its place
            keep(
              kept,
              withFlagsOf(tag, () => script.createCachedData()),
            );
            removeOthers(folder, `${name}-`, own);
          });
        });
      }
      return script;
    },
  };
}

/**
 * V8 rejects code that was made under other flags, and the young generation is held by a flag (young-generation.ts): it has
 * its own value while the work is done.
 */
function withFlagsOf<T>(tag: number, work: () => T): T {
  if (cachedDataVersionTag() === tag) return work();
  setFlagsFromString('--semi-space-growth-factor=2');
  try {
    return work();
  } finally {
    setFlagsFromString('--semi-space-growth-factor=1');
  }
}

const hashBytes = 32;

/** V8 trusts what it is given, so a file that is damaged must not reach it. */
function readKept(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(hashBytes);
    return hashOf(code).equals(bytes.subarray(0, hashBytes)) ? code : undefined;
  } catch {
    return undefined;
  }
}

const hashOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** Where nothing can be written the next start compiles as well. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It costs time, and nothing else.
  }
}

/** Writes the whole file or nothing; nothing if the package was removed. */
function keep(file: string, code: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o755 });
    writeFileSync(temporary, Buffer.concat([hashOf(code), code]), { mode: 0o644 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes caches of other texts under the name. */
function removeOthers(folder: string, begin: string, own: string): void {
  const old = readdirSync(folder).filter((file) => file.startsWith(begin) && !file.startsWith(own));
  for (const file of old) rmSync(join(folder, file), { force: true });
}
