// The port through which the log's file is written, and the file behind it. Tests simulate a full disk with it. It does
// not know lines: it appends bytes, and returns the state of the file at the path.
import { open, stat } from 'node:fs/promises';
import { hasCode } from '../files.js';

export interface FileState {
  /** Identifies a file regardless of its name. */
  readonly identity: string;
  /** Bytes. */
  readonly size: number;
}

export interface LogHandle {
  /** As write(2) at the end of the file: gives how many bytes were written, which may be fewer than there are. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves when what was appended is on disk. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  /** The state of the file at the path now; undefined if there is no file. */
  stat(): Promise<FileState | undefined>;
  close(): Promise<void>;
}

export type OpenHandle = (path: string) => Promise<LogHandle>;

/** Opens a file that exists. */
export const openLogHandle: OpenHandle = async (path) => {
  const file = await open(path, 'a');
  return {
    append: async (bytes) => (await file.write(bytes)).bytesWritten,
    sync: () => file.datasync(),
    truncate: (size) => file.truncate(size),
    stat: () => stateOf(path),
    close: () => file.close(),
  };
};

export async function stateOf(path: string): Promise<FileState | undefined> {
  try {
    const { dev, ino, size } = await stat(path);
    return { identity: `${dev}:${ino}`, size };
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}
