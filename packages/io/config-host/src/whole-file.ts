// Configuration files on disk, of ours and of AI clients: read whole and within a limit, written at once or not at all,
// links followed.
import { randomBytes } from 'node:crypto';
import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';

/** A file is not what a configuration file is, or cannot be reached. */
export class FileProblem extends Error {}

/** Another program has written it since it was read. */
export class FileChanged extends FileProblem {}

/** Claude Code keeps the history of every project in its file. */
export const maxFileBytes = 32 * 1024 * 1024;

export interface ReadFile {
  readonly bytes: Buffer;
  readonly mode: number;
  readonly owner: Owner;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Null if there is none. @throws FileProblem */
export async function readWholeFile(path: string): Promise<ReadFile | null> {
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new FileProblem('it is not a file');
    if (info.size > maxFileBytes) throw new FileProblem(`it is larger than ${maxFileBytes} bytes`);
    const handle = await open(path, 'r');
    try {
      const bytes = await handle.readFile();
      if (bytes.length > maxFileBytes) throw new FileProblem(`it is larger than ${maxFileBytes} bytes`);
      return { bytes, mode: info.mode & 0o777, owner: { uid: info.uid, gid: info.gid } };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw toProblem(error, 'cannot be read');
    if (await isLink(path)) throw new FileProblem('it is a link to a file that is not there');
    return null;
  }
}

/** The text without its byte order mark. @throws FileProblem if it is not UTF-8 */
export function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem('it is not UTF-8');
  }
}

/** The bytes of a changed text, with the byte order mark that the file had. */
export function encodeText(text: string, before: Buffer | undefined): Buffer {
  const mark = before?.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0);
  return Buffer.concat([mark, Buffer.from(text, 'utf8')]);
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Replaces a file that has not changed since it was read; null removes it. Only its owner can read a new one.
 * @throws FileProblem, also when another program has changed it since
 */
export async function replaceWholeFile(path: string, before: ReadFile | null, bytes: Buffer | null): Promise<void> {
  const target = before === null ? path : await realpath(path);
  const temporary = `${target}.portico-${randomBytes(6).toString('hex')}`;
  try {
    if (bytes !== null) await writeNew(temporary, bytes, before?.mode ?? 0o600, before?.owner);
    const now = await readWholeFile(path);
    const isSame = now === null || before === null ? now === before : now.bytes.equals(before.bytes);
    if (!isSame) throw new FileChanged('another program has changed it; try again');
    if (bytes === null) await rm(target);
    else await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {}); // what made the write fail is the reason to give
    throw toProblem(error, 'cannot be written');
  }
}

/** @throws NodeJS.ErrnoException EEXIST */
export async function writeNew(path: string, bytes: Buffer, mode: number, owner?: Owner): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    // Only root may change the owner; other users own the file already.
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid).catch(() => {});
    await handle.chmod(mode); // independent of the umask
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** @param what goes after "it" */
export function toProblem(error: unknown, what: string): FileProblem {
  if (error instanceof FileProblem) return error;
  const reason = codeOf(error) ?? (error instanceof Error ? error.message : String(error));
  return new FileProblem(`it ${what} (${reason})`, { cause: error });
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  );
}
