// The file of a log that grows: batches go to its end, and when it is long enough it is sealed as a segment and another one
// follows it. One rename is all that seals a file, so that a crash at any step leaves one whole chain: before it the file
// goes on, after it an empty one does, made here or by the next start.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '@portico/control-plane';
import { messageOf } from '../files.js';
import { type LogHandle, type OpenHandle, stateOf } from './log-handle.js';
import { type Segment, segmentPath, syncDirectory } from './segments.js';
import { checkUnchanged } from './unchanged-file.js';
import { createWholeWrites, type WholeWrites } from './whole-writes.js';

export interface GrowingFile extends WholeWrites {
  /** Offset of its first byte in the whole log; `size` is the offset of its end. */
  start(): number;
  /** Resolves when what was appended is on disk. */
  sync(): Promise<void>;
  /** Seals it, unless it is empty or that cannot be done now. Not while something is appended. */
  seal(): Promise<void>;
  close(): Promise<void>;
}

export interface GrowingFileDeps {
  readonly path: string;
  readonly openHandle: OpenHandle;
  readonly handle: LogHandle;
  readonly identity: string;
  /** Offset of the file's first byte in the whole log. */
  readonly start: number;
  /** Offset of the byte after the last whole batch. */
  readonly end: number;
  readonly isStrict: boolean;
  /** The file is sealed before a batch when it has this many bytes. */
  readonly maxBytes: number;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly log: Log;
  /** @param next the file that follows, open for reading */
  readonly onSealed: (segment: Segment, next: FileHandle) => Promise<void>;
}

/** If a file cannot be sealed, it keeps growing; the next attempt follows after this many bytes. */
const againAfterBytes = 1024 * 1024;

export function createGrowingFile(deps: GrowingFileDeps): GrowingFile {
  const { path, openHandle, maxBytes, log } = deps;
  let start = deps.start;
  let identity = deps.identity;
  let handle: LogHandle | undefined = deps.handle;
  let file = createWholeWrites({ ...deps, handle, size: deps.end - start });
  let sealAt = maxBytes;
  /** A segment that was renamed, and has no file after it yet. */
  let sealed: Segment | undefined;

  /** @throws Error if the file is not to be sealed: nothing has changed then */
  const rename = async (from: LogHandle): Promise<Segment> => {
    const size = file.size();
    checkUnchanged(path, { identity, size }, await from.stat(), false);
    await from.sync();
    const segment = { path: segmentPath(path, start), start, size, identity };
    const isThere = await lstat(segment.path).then(
      () => true,
      () => false,
    );
    if (isThere) throw new Error(`${segment.path} is there already`);
    await deps.rename(path, segment.path);
    await syncDirectory(dirname(path));
    return segment;
  };

  const follow = async (segment: Segment) => {
    await createFile(path);
    const next = await openHandle(path);
    const reading = await open(path, 'r');
    const state = await stateOf(path);
    if (state === undefined || state.size > 0) {
      await next.close();
      await reading.close();
      throw new Error(`${path} is not the empty file that follows ${segment.path}`);
    }
    await syncDirectory(dirname(path));
    await deps.onSealed(segment, reading);
    sealed = undefined;
    start = segment.start + segment.size;
    identity = state.identity;
    handle = next;
    sealAt = maxBytes;
    file = createWholeWrites({ path, handle: next, identity, size: 0, isStrict: deps.isStrict });
  };

  const seal = async () => {
    if (sealed === undefined) {
      if (handle === undefined || file.size() === 0 || file.isTorn()) return;
      try {
        sealed = await rename(handle);
      } catch (error) {
        sealAt = file.size() + againAfterBytes;
        log('warn', 'the file of the audit log cannot be sealed, and grows on', {
          file: path,
          reason: messageOf(error),
        });
        return;
      }
      await handle.close();
      handle = undefined;
    }
    await follow(sealed);
  };

  return {
    start: () => start,
    size: () => start + file.size(),
    isTorn: () => file.isTorn(),
    async append(bytes) {
      if (sealed !== undefined || file.size() >= sealAt) await seal();
      await file.append(bytes);
    },
    seal,
    sync: async () => handle?.sync(),
    async close() {
      await handle?.close();
      handle = undefined;
    },
  };
}

/** Through no link, and with nothing in it that was there before. */
async function createFile(path: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  await (await open(path, flags, 0o600)).close();
}
