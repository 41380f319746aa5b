// Where the lock is read from: the daemon, or the configuration file alone.
import type { LockAcceptRequest, LockDrift } from '@portico/contracts';
import type { CommonOptions } from '../command.js';
import { configFileOf } from '../connection-options.js';
import { CommandFailure, UsageFailure } from '../failures.js';
import { allPages } from './all-pages.js';
import { inBodies, readForBody } from './bodies.js';

export interface LockOptions extends CommonOptions {
  readonly offline?: true;
}

export interface OpenLock {
  /** Path of the file; null if the daemon has none. */
  readonly path: string | null;
  /** Whether there is no file yet. */
  readonly isMissing: boolean;
  drift(server?: string): Promise<Omit<LockDrift, 'ok'>>;
  /** Compares the text of another file. */
  verify(file: string): Promise<Omit<LockDrift, 'ok'>>;
  accept(request: LockAcceptRequest): Promise<readonly string[]>;
  /** The part that is unknown; undefined if nothing is missing. */
  readonly gap: string | undefined;
  close(): Promise<void>;
}

/** @throws UsageFailure, NoDaemon, ConfigError */
export async function openLock(options: LockOptions, stopped: AbortSignal): Promise<OpenLock> {
  return options.offline === true ? openOffline(options) : openOnline(options, stopped);
}

async function openOnline(options: LockOptions, stopped: AbortSignal): Promise<OpenLock> {
  const { openConnection } = await import('../connection.js');
  const { client, close } = await openConnection({ ...options, profile: undefined, stopped });
  const signal = { signal: stopped };
  const { file, missing = false } = await client.getLock(signal);
  return {
    path: file,
    isMissing: missing,
    drift: (server) =>
      allPages((page) => client.getLockDrift({ ...page, ...(server === undefined ? {} : { server }) }, signal)),
    verify: async (path) => client.verifyLock({ lock: await readForBody(path) }, signal),
    async accept({ items, operator }) {
      const accepted: string[] = [];
      for (const some of inBodies(items)) {
        const request = { items: some, ...(operator === undefined ? {} : { operator }) };
        accepted.push(...(await client.acceptDrift(request, signal)).accepted);
      }
      return accepted;
    },
    gap: undefined,
    close,
  };
}

async function openOffline(options: LockOptions): Promise<OpenLock> {
  if (options.url !== undefined) throw new UsageFailure('--offline and --url exclude each other');
  const { inspectLock } = await import('@portico/host');
  const place = { configFile: configFileOf(options), stateDir: options.stateDir, env: process.env };
  const lock = await inspectLock(place);
  const unknown = lock.unknownServers;
  return {
    path: lock.path,
    isMissing: lock.isMissing,
    async drift(server) {
      const { drifts, findings, ...rest } = lock.drift;
      const isOf = (each: { readonly server_id: string }) => server === undefined || each.server_id === server;
      return { ...rest, drifts: drifts.filter(isOf), findings: findings.filter(isOf) };
    },
    verify: async (file) => (await inspectLock(place, file)).drift,
    accept: (request) =>
      lock.accept(request).catch((error: unknown) => {
        throw new CommandFailure(error instanceof Error ? error.message : String(error));
      }),
    gap:
      unknown.length === 0
        ? undefined
        : `nothing is kept of ${unknown.join(', ')}: only what the configuration says of them is compared`,
    close: async () => {},
  };
}
