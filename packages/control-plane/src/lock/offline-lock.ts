// The lock of a configuration without a service. For a server without stored definitions, the configured program is
// compared, and its list is assumed to be the locked one.
import { finish } from '@portico/async';
import type { Config, LockAcceptRequest, LockDrift } from '@portico/contracts';
import { compareServer, type ListedServer, serializeLock, type ToolsLock } from '@portico/tools-lock';
import type { Clock } from '@portico/upstream-pool';
import type { StoredDefinitions } from '../catalog/definitions/definition-store.js';
import { applyStoredDefinitions } from '../policy/offline-policy.js';
import { listedServer } from '../state/lock-verdicts.js';
import { initialState } from '../state/plane-state.js';
import { programDigest } from '../state/server-changes.js';
import { loadLock } from './load-lock.js';
import type { LockFile } from './lock-file.js';
import { acceptReviewed, driftView, findingViews, goneServers, selectReviewed, verdictIn } from './lock-views.js';

export interface OfflineLock {
  readonly path: string;
  /** There is no file. */
  readonly isMissing: boolean;
  readonly drift: Omit<LockDrift, 'ok'>;
  /** Configured servers without known definitions. */
  readonly unknownServers: readonly string[];
  /** Writes the file. Rejects where it cannot be used or written, and with DriftMoved. */
  accept(request: LockAcceptRequest): Promise<readonly string[]>;
}

export interface OfflineLockDeps {
  readonly config: Config;
  readonly stored: readonly StoredDefinitions[];
  readonly file: LockFile;
  readonly clock: Clock;
}

/** Opens the lock without a daemon: definitions are those kept by the last start. */
export async function openOfflineLock({ config, stored, file, clock }: OfflineLockDeps): Promise<OfflineLock> {
  const off = { ...config, lock: { ...config.lock, mode: 'off' as const, servers: new Map() } };
  const state = stored.reduce(applyStoredDefinitions, initialState(off));
  const { lock, text, fault, isMissing = false } = await loadLock(file, config, clock);
  const isComparable = fault === undefined || isMissing;
  const listed = new Map<string, ListedServer>();
  for (const [id, server] of config.servers) {
    const entries = state.servers.get(id);
    const known = entries && listedServer(config, id, entries);
    listed.set(id, known ?? asLocked(lock, id, programDigest(server)));
  }
  const compared = [...listed].flatMap(([id, now]) => finish(compareServer(id, lock.get(id), now)));
  const drifts = isComparable ? [...goneServers(lock, config), ...compared] : [];
  return {
    path: file.path,
    isMissing,
    unknownServers: [...config.servers.keys()].filter((id) => !state.servers.has(id)),
    drift: {
      usable: fault === undefined,
      ...(fault === undefined ? {} : { fault }),
      verdict: verdictIn(fault === undefined, drifts),
      drifts: drifts.map((drift) => driftView(drift, false)),
      findings: await findingViews(state, undefined, clock),
    },
    async accept(request) {
      if (!isComparable) throw new Error(`nothing was accepted: ${fault}`);
      const accepted = selectReviewed(drifts, request);
      const at = new Date(clock.epochMs()).toISOString().replace(/\.\d+Z$/, 'Z');
      const next = acceptReviewed(lock, accepted, listed, { by: request.operator ?? 'local', at });
      await file.write(text, serializeLock(next));
      return accepted.map(({ id }) => id);
    },
  };
}

function asLocked(lock: ToolsLock, id: string, program: string): ListedServer {
  const lists = lock.get(id)?.lists ?? { tool: new Map(), prompt: new Map(), resource_template: new Map() };
  return { identity: { program }, lists };
}
