// When a server runs, from its definition in the file.
import type { Issue } from '../issues.js';
import { defaultIdleStopSecs, eager, type Lifecycle } from './config.js';
import type { RawServer } from './server-schema.js';

export function lifecycleIssues(
  { lifecycle, idleStopSecs }: RawServer,
  at: (...keys: string[]) => string,
): readonly Issue[] {
  if (lifecycle === 'lazy' || idleStopSecs == null) return [];
  return [
    { path: at('idleStopSecs'), message: 'goes only with `lifecycle: "lazy"`; remove it, or make the server lazy' },
  ];
}

export function toLifecycle({ lifecycle, idleStopSecs }: RawServer): Lifecycle {
  return lifecycle === 'lazy' ? { kind: 'lazy', idleStopSecs: idleStopSecs ?? defaultIdleStopSecs } : eager;
}
