// The built daemon and MCP listener inside this process: what is shipped is what is tested, without the time that a
// process takes. Node loads them, once a process. Independent of the test runner.
import { join } from 'node:path';
import type * as DaemonModule from '@portico/daemon';
import type * as McpHttpModule from '@portico/mcp-http';

type Own = 'logDestination' | 'onReady';
export type ServeOptions = Omit<DaemonModule.ServeDaemonOptions, Own>;
export type ServeMcpHttpOptions = Omit<McpHttpModule.ServeMcpHttpOptions, Own>;

/** Something that has been started, and may not be ready yet. */
export interface Serving<Address> {
  /** Rejects with the reason where it does not become ready. */
  readonly ready: Promise<Address>;
  /** Its log so far. */
  readonly logText: () => string;
  /** Stops it, and resolves once everything is closed. */
  stop(): Promise<void>;
}

/** @param repository the root of the checkout */
export async function serveBuilt(repository: string, options: ServeOptions): Promise<Serving<DaemonModule.DaemonUrls>> {
  const { serveDaemon } = await importBuilt<typeof DaemonModule>(repository, 'apps/daemon/dist/index.js');
  return serve((stopped, own) => serveDaemon(stopped, { ...options, ...own }));
}

/** @param repository the root of the checkout */
export async function serveBuiltMcpHttp(repository: string, options: ServeMcpHttpOptions): Promise<Serving<string>> {
  const { serveMcpHttp } = await importBuilt<typeof McpHttpModule>(repository, 'apps/mcp-http/dist/index.js');
  return serve((stopped, own) => serveMcpHttp(stopped, { ...options, ...own }));
}

interface OwnOptions<Address> {
  readonly logDestination: { write(line: string): void };
  readonly onReady: (address: Address) => void;
}

function serve<Address>(
  start: (stopped: Promise<string>, own: OwnOptions<Address>) => Promise<void>,
): Serving<Address> {
  const lines: string[] = [];
  let stopNow = (_reason: string) => {};
  const stopped = new Promise<string>((resolve) => {
    stopNow = resolve;
  });
  let isReady = false;
  let onReady = (_address: Address) => {};
  const address = new Promise<Address>((resolve) => {
    onReady = (found) => {
      isReady = true;
      resolve(found);
    };
  });
  const ended = start(stopped, { logDestination: { write: (line) => void lines.push(line) }, onReady });
  const endedEarly = ended.then(() => {
    throw new Error('it ended before it was ready');
  });
  return {
    ready: Promise.race([address, endedEarly]),
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
