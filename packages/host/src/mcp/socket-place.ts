// Where the service of a state directory takes in processes that join it: a socket in the directory, or, where its path
// would be too long for one, in a folder of its own that a file in the directory names. On Windows a named pipe.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, the last one zero (unix(7)). */
const maxPathBytes = 103;

const pointerName = 'socket-path';
const socketName = 'portico.sock';

/** Undefined if no service listens. An error of the socket closes it as well, and that is what counts. */
export async function connectToService(stateDir: string): Promise<Socket | undefined> {
  const path = await findSocket(stateDir);
  if (path === undefined) return undefined;
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** The address to connect to; undefined if no service has left one. */
async function findSocket(stateDir: string): Promise<string | undefined> {
  const plain = plainPath(stateDir);
  if (plain !== undefined) return plain;
  return readFile(join(stateDir, pointerName), 'utf8').catch(() => undefined);
}

export interface SocketPlace {
  readonly path: string;
  /** Removes what was made for it. */
  release(): Promise<void>;
}

/** Makes the place for one. Only for the process that holds the state directory: what an earlier one left is removed. */
export async function takeSocketPlace(stateDir: string): Promise<SocketPlace> {
  const pointer = join(stateDir, pointerName);
  const left = await readFile(pointer, 'utf8').catch(() => undefined);
  if (left?.endsWith(`${sep}${socketName}`)) await removeFolder(left);
  await rm(pointer, { force: true });
  const plain = plainPath(stateDir);
  if (plain !== undefined) {
    const remove = async () => {
      if (process.platform !== 'win32') await rm(plain, { force: true });
    };
    await remove();
    return { path: plain, release: remove };
  }
  const folder = await mkdtemp(join(tmpdir(), 'portico-')); // 0700
  const path = join(folder, socketName);
  await writeFile(pointer, path, { mode: 0o600 });
  const release = async () => {
    await rm(pointer, { force: true });
    await removeFolder(path);
  };
  return { path, release };
}

/** The folder around a socket, which holds nothing else. */
async function removeFolder(socket: string): Promise<void> {
  await rm(socket, { force: true });
  await rmdir(dirname(socket)).catch(() => {}); // another's, or gone
}

function plainPath(stateDir: string): string | undefined {
  const directory = resolve(stateDir);
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\portico-${createHash('sha256').update(directory.toLowerCase()).digest('hex').slice(0, 32)}`;
  }
  const path = join(directory, socketName);
  return Buffer.byteLength(path) <= maxPathBytes ? path : undefined;
}
