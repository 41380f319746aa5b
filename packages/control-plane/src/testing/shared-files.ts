// Configuration files that are kept in step, each of a daemon of its own. For tests of this package only.
import type { Config, JsonObject } from '@portico/contracts';
import { createManualClock } from '@portico/upstream-pool';
import {
  type ConfigEdit,
  createMemoryConfigSource,
  InvalidConfig,
  type MemoryConfigSource,
} from '../configuration/config-source.js';
import { type ConfigurationLog, createMemoryConfigurationLog } from '../configuration/sharing/configuration-log.js';
import { openSharedConfigSource } from '../configuration/sharing/shared-config-source.js';
import type { LogLine } from './start-plane.js';

export const initial = { port: 1, toolTimeoutMs: 1000, policy: { deny: ['a'] }, mcpServers: {} };
export const set = (value: ConfigEdit['value'], ...path: readonly string[]) => [{ path, value }];

/** Anything can be used, but what a host refuses. */
export function sourceOf(file: JsonObject, refuse: (file: JsonObject) => string | undefined = () => undefined) {
  return createMemoryConfigSource(file, (next) => {
    const message = refuse(next);
    if (message !== undefined) throw new InvalidConfig([{ path: 'here', message }]);
    return {} as Config;
  });
}

export async function openDaemon(changes: ConfigurationLog, source: MemoryConfigSource) {
  const clock = createManualClock();
  const log: LogLine[] = [];
  const write = (level: LogLine['level'], message: string, fields: LogLine['fields']) =>
    log.push({ level, message, fields });
  const shared = await openSharedConfigSource({ source, changes, clock, log: write });
  const file = () => source.current().file;
  const change = (value: ConfigEdit['value'], ...path: readonly string[]) => shared.change(() => set(value, ...path));
  return { shared, source, clock, log, file, change };
}

/** A log whose commits fail on demand: the work runs, and none of its changes is kept. */
export function createFailingLog(changes: ConfigurationLog) {
  let isFailing = false;
  const failing: ConfigurationLog = {
    ...changes,
    exclusively(work) {
      const fails = isFailing;
      return changes.exclusively(async (held) => {
        const result = await work(held);
        if (fails) throw new Error('gone');
        return result;
      });
    },
  };
  return {
    changes: failing,
    fail(does: boolean) {
      isFailing = does;
    },
  };
}

export type Refuse = (file: JsonObject) => string | undefined;

/** Daemons with a file each. */
export async function openAll(...hosts: readonly (Refuse | undefined)[]) {
  const logOf = createMemoryConfigurationLog();
  return {
    logOf,
    daemons: await Promise.all(hosts.map((refuse, host) => openDaemon(logOf(`f${host}`), sourceOf(initial, refuse)))),
  };
}
