// From the lock block of the file to what is in force.
import { defaultLock, type LockConfig, type LockRules } from './config.js';
import { lockModes, type RawLock } from './lock-schema.js';

export function toLock(raw: RawLock | null | undefined): LockConfig {
  if (raw == null) return defaultLock;
  const all: LockRules = { mode: raw.mode ?? defaultLock.mode, newTools: raw.newTools ?? defaultLock.newTools };
  const servers = Object.entries(raw.servers ?? {}).map(([id, own]): [string, LockRules] => [
    id,
    {
      mode: stricterOf(lockModes, all.mode, own.mode),
      newTools: all.newTools === 'hold' || own.newTools === 'hold' ? 'hold' : 'allow',
    },
  ]);
  return {
    ...all,
    file: raw.file ?? defaultLock.file,
    accept: raw.accept ?? defaultLock.accept,
    servers: new Map(servers),
  };
}

/** @param order the strictest last */
function stricterOf<T>(order: readonly T[], all: T, own: T | undefined): T {
  return own !== undefined && order.indexOf(own) > order.indexOf(all) ? own : all;
}
