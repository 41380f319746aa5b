// The port to the lock file, and one in memory.
export interface LockFile {
  /** As people are shown it. */
  readonly path: string;
  /** Undefined if there is none. Rejects where it cannot be read. */
  read(): Promise<string | undefined>;
  /** Replaces a text that is still the one that was read. Rejects where it is not, or where nothing can be written. */
  write(before: string | undefined, text: string): Promise<void>;
  /** Calls the listener after a change from outside. The returned function ends that. */
  watch(listener: () => void): () => void;
}

/** @param file as the configuration names it */
export type OpenLockFile = (file: string) => LockFile;

export interface MemoryLockFile extends LockFile {
  /** Simulates a change from outside; undefined removes it. */
  replace(text: string | undefined): void;
  /** The error of reading and writing from now on. */
  break(reason: string | undefined): void;
}

/** Kept nowhere: for tests, and for embedders without files. */
export function createMemoryLockFile(text?: string): MemoryLockFile {
  let kept = text;
  let broken: string | undefined;
  const listeners = new Set<() => void>();
  const mustWork = () => {
    if (broken !== undefined) throw new Error(broken);
  };
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    path: 'memory',
    async read() {
      mustWork();
      return kept;
    },
    async write(before, next) {
      mustWork();
      if (kept !== before) throw new Error('another program changed it before the write; try again');
      kept = next;
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace(next) {
      kept = next;
      notify();
    },
    break(reason) {
      broken = reason;
      notify();
    },
  };
}
