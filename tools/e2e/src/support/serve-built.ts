// The built daemon inside this process: what is shipped is what is tested, without the time that a process takes. Node
// loads it, once a process. Independent of the test runner.
import { join } from 'node:path';
import type * as DaemonModule from '@portico/daemon';

export type ServeOptions = Omit<DaemonModule.ServeDaemonOptions, 'logDestination' | 'onReady'>;

/** A daemon that has been started, and may not be ready yet. */
export interface Serving {
  /** Rejects with the reason where it does not become ready. */
  readonly ready: Promise<DaemonModule.DaemonUrls>;
  /** Its log so far. */
  readonly logText: () => string;
  /** Stops it, and resolves once everything is closed. */
  stop(): Promise<void>;
}

/** @param repository the root of the checkout */
export async function serveBuilt(repository: string, options: ServeOptions): Promise<Serving> {
  const { serveDaemon } = await importBuilt<typeof DaemonModule>(repository, 'apps/daemon/dist/index.js');
  const lines: string[] = [];
  let stopNow = (_reason: string) => {};
  const stopped = new Promise<string>((resolve) => {
    stopNow = resolve;
  });
  let isReady = false;
  let onReady = (_urls: DaemonModule.DaemonUrls) => {};
  const urls = new Promise<DaemonModule.DaemonUrls>((resolve) => {
    onReady = (found) => {
      isReady = true;
      resolve(found);
    };
  });
  const logDestination = { write: (line: string) => void lines.push(line) };
  const ended = serveDaemon(stopped, { ...options, logDestination, onReady });
  const endedEarly = ended.then(() => {
    throw new Error('the daemon ended before it was ready');
  });
  return {
    ready: Promise.race([urls, endedEarly]),
    logText: () => lines.join(''),
    async stop() {
      stopNow('its owner');
      await ended.catch((error: unknown) => {
        if (isReady) throw error; // else `ready` has rejected with it
      });
    },
  };
}

/** The caller says what the module has. */
export function importBuilt<Module>(repository: string, path: string): Promise<Module> {
  return import(/* @vite-ignore */ join(repository, path));
}
