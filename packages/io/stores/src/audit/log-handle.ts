// The port through which the log's file is written, and the file behind it. Tests play a full disk through it.
// It knows nothing of lines: bytes go to the end, and what the path stands for can be asked.
import { open, stat } from 'node:fs/promises';
import { hasCode } from '../files.js';

export interface FileState {
  /** Tells one file from another, whatever they are called. */
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
  /** What the path stands for now; undefined where nothing is there. */
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
