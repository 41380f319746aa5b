// Closes everything that was opened, last first, also when something fails or the tool is stopped in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scope {
  /** To be called before something is opened: in a scope that was stopped nothing is. @throws ScopeStopped */
  throwIfStopped(): void;
  /** To be called in the same turn as what is opened. Last opened, first closed. */
  onClose(cleanup: () => unknown): void;
  /** Closes what was opened since the last time. A cleanup that fails keeps no other one from running. */
  close(): Promise<void>;
  /** Closes everything permanently. */
  stop(): Promise<void>;
}

export class ScopeStopped extends Error {
  override readonly name = 'ScopeStopped';
}

export function createScope(): Scope {
  const cleanups: (() => unknown)[] = [];
  let isStopped = false;
  let closing = Promise.resolve();

  const closeAll = async () => {
    const failures: unknown[] = [];
    for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
      try {
        await cleanup();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be closed');
  };
  /** One after the other, so that a resource that is still being closed does not count as closed. */
  const close = () => {
    closing = closing.catch(() => {}).then(closeAll);
    return closing;
  };

  return {
    throwIfStopped() {
      if (isStopped) throw new ScopeStopped('the run was stopped');
    },
    onClose: (cleanup) => cleanups.push(cleanup),
    close,
    stop() {
      isStopped = true;
      return close();
    },
  };
}

/** A folder that is removed again. Its name is in the command line of every child that is given a file of it. */
export function tempFolder(scope: Scope): string {
  scope.throwIfStopped();
  const folder = mkdtempSync(join(tmpdir(), 'portico-faults-'));
  scope.onClose(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
