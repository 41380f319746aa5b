// The lock of a control plane: reads its file, follows it, and has what a person has reviewed accepted. It decides nothing
// about what is held: that is state/lock-verdicts.ts.
import { coalesce, createMutex } from '@portico/async';
import { utf8Length } from '@portico/canonical-json';
import {
  type Config,
  type JsonObject,
  type LockAcceptRequest,
  type LockDrift,
  type LockMode,
  maxLockBytes,
  PorticoError,
  type ServerConfig,
} from '@portico/contracts';
import { compareServer, type Drift, emptyLock, serializeLockInSteps, UnusableLock } from '@portico/tools-lock';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { type ConfigAuthor, configChangeDraft } from '../audit/change-draft.js';
import type { StateHolder } from '../catalog/state-holder.js';
import type { Log } from '../common/log.js';
import { isAllCompared, isLockEnforced, isLockOn, listedServer, lockFault, rulesOf } from '../state/lock-verdicts.js';
import type { PlaneState } from '../state/plane-state.js';
import { inShares, loadLock, parseInShares, type ReadLock } from './load-lock.js';
import type { LockFile, OpenLockFile } from './lock-file.js';
import {
  acceptReviewed,
  allDrifts,
  createRevision,
  driftView,
  findingViews,
  goneServers,
  selectReviewed,
  verdictIn,
} from './lock-views.js';

export interface LockService {
  /** Reads the file that is configured, where one is. Call it before anything is listed, and after each configuration. */
  load(): Promise<void>;
  /** Follows the configured file from now on. */
  configured(): void;
  status(): LockStatus;
  /**
   * Differences, all or a page of them, and findings, which come with the first page.
   * @throws PorticoError RESOURCE_NOT_FOUND for a server that is not configured
   */
  drift(server?: string, page?: DriftPage): Promise<Omit<LockDrift, 'ok'>>;
  /** @throws DriftMoved, PorticoError INVALID_ARGS, RESOURCE_NOT_FOUND, INTERNAL_ERROR; the file is as it was then */
  accept(request: LockAcceptRequest, by: ConfigAuthor): Promise<{ readonly accepted: string[]; readonly file: string }>;
  /** Compares another lock with what servers list. Changes nothing. */
  verify(text: string): Promise<Omit<LockDrift, 'ok'>>;
  /** @throws Error if servers are to be held to a lock that cannot be used */
  mustBeUsable(): void;
  close(): Promise<void>;
}

export interface DriftPage {
  readonly limit: number;
  readonly offset: number;
}

export interface LockStatus {
  readonly mode: LockMode;
  readonly file: string | null;
  readonly usable: boolean;
  readonly fault?: string;
  readonly missing?: true;
  readonly revision: string;
  readonly verdict: LockDrift['verdict'];
  readonly servers: readonly {
    readonly id: string;
    readonly mode: LockMode;
    readonly locked: boolean;
    readonly drifts: number;
    readonly held: number;
    readonly wholly_held: boolean;
  }[];
}

export interface LockServiceDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: AuditLog;
  readonly holder: Pick<StateHolder, 'state' | 'loadLock'>;
  /** Without one, a lock that is configured cannot be used. */
  readonly openLockFile?: OpenLockFile | undefined;
}

export function createLockService(deps: LockServiceDeps): LockService {
  const { clock, log, holder } = deps;
  const { state } = holder;
  const mutex = createMutex();
  let opened: { readonly name: string; readonly file: LockFile; readonly unwatch: () => void } | undefined;
  let lastRead: ReadLock | undefined; // of the opened file
  let isClosed = false;
  const revisionOf = createRevision();

  const fileOf = ({ lock }: Config): LockFile | undefined => {
    if (!isLockOn({ lock })) {
      opened?.unwatch();
      [opened, lastRead] = [undefined, undefined];
      return undefined;
    }
    if (opened?.name === lock.file) return opened.file;
    opened?.unwatch();
    lastRead = undefined;
    const file = deps.openLockFile?.(lock.file) ?? noFile;
    opened = { name: lock.file, file, unwatch: file.watch(() => reloading.ask()) };
    return file;
  };

  const putInForce = async (loaded: ReadLock, name: string) => {
    const { text: _text, ...inForce } = loaded;
    const before = state().lock;
    const { fault } = loaded;
    if (fault !== undefined && fault !== before.loaded.fault) {
      log(isLockEnforced(state().config) ? 'error' : 'warn', 'the lock cannot be used', { reason: fault });
    }
    const isInForce = before.loaded.lock === loaded.lock && before.loaded.fault === undefined && fault === undefined;
    if (!isInForce || !isAllCompared(state())) await holder.loadLock(inForce, name);
    lastRead = loaded;
  };

  /** Never rejects: a lock that cannot be put in force is one that cannot be used. */
  const load = () =>
    mutex.run(async () => {
      const { config } = state();
      const { file: name } = config.lock;
      try {
        const file = fileOf(config);
        if (file === undefined) return;
        const loaded = await loadLock(file, config, clock, lastRead);
        // Another file was configured during the reading: its own reading follows, and until then no lock is in force.
        if (state().config.lock.file === name) await putInForce(loaded, name);
      } catch (error) {
        const reason = error instanceof Error ? error.message : error;
        await putInForce({ lock: emptyLock, fault: `${name} could not be put in force: ${reason}` }, name);
      }
    });
  const reloading = coalesce(async () => {
    if (!isClosed) await load();
  });

  return {
    load,
    configured: () => reloading.ask(),
    status: () => statusOf(state(), opened?.file.path, revisionOf(state())),
    drift: (server, page) => driftOf(state(), clock, server, page),
    accept: (request, by) =>
      mutex.run(() => {
        const { config } = state();
        const file = fileOf(config);
        if (file === undefined) throw lockIsOff();
        const put = (loaded: ReadLock) => putInForce(loaded, config.lock.file);
        return accept({ ...deps, file, putInForce: put, lastRead }, request, by);
      }),
    verify: (text) => verify(state(), text, clock),
    mustBeUsable() {
      const fault = lockFault(state());
      if (fault !== undefined && isLockEnforced(state().config)) {
        throw new Error(`lock.mode is "enforce" and the lock cannot be used, so nothing is served: ${fault}`);
      }
    },
    async close() {
      isClosed = true;
      opened?.unwatch();
      await reloading.done();
      await mutex.run(async () => {});
    },
  };
}

interface Accepting extends LockServiceDeps {
  readonly file: LockFile;
  readonly lastRead: ReadLock | undefined;
  readonly putInForce: (loaded: ReadLock) => Promise<void>;
}

async function accept(
  on: Accepting,
  request: LockAcceptRequest,
  by: ConfigAuthor,
): Promise<{ readonly accepted: string[]; readonly file: string }> {
  const { file, putInForce, lastRead, clock } = on;
  const { state } = on.holder;
  const found = await loadLock(file, state().config, clock, lastRead);
  await putInForce(found); // the file may have been written just now
  if (found.fault !== undefined && found.isMissing !== true) {
    throw new PorticoError('INVALID_ARGS', `nothing was accepted: ${found.fault}`);
  }
  const now = state();
  if (now.lock.loaded.lock !== found.lock) {
    throw new PorticoError(
      'INVALID_ARGS',
      'nothing was accepted: the configuration changed before the write; try again',
    );
  }
  const drifts = selectReviewed(allDrifts(now), request);
  const at = new Date(clock.epochMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  const operator = request.operator ?? by.identity.actor ?? 'local';
  const lock = acceptReviewed(found.lock, drifts, listedOf(now, drifts), { by: operator, at });
  const text = await inShares(clock, serializeLockInSteps(lock));
  mustFit(text, file);
  const accepted = drifts.map(({ id }) => id);
  const details = { accepted: accepted.slice(0, 100), count: accepted.length, operator };
  await writeRecorded(on, by, details, () => file.write(found.text, text));
  await putInForce({ lock, text });
  return { accepted, file: file.path };
}

/** The record comes first: a process that ends in between leaves no accepted definition without a record. */
async function writeRecorded(
  { audit, clock, file, holder }: Accepting,
  by: ConfigAuthor,
  details: JsonObject,
  write: () => Promise<void>,
): Promise<void> {
  const record = (error?: PorticoError) => {
    const change = { action: 'lock_accept', details, changes: null, ...(error === undefined ? {} : { error }) };
    return audit.append(configChangeDraft(holder.state(), clock.epochMs(), by, change));
  };
  await record();
  try {
    await write();
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    const failure = new PorticoError(
      'INTERNAL_ERROR',
      `nothing was accepted: ${file.path} could not be written: ${reason}`,
    );
    await record(failure).catch(() => {}); // the log keeps it until it can be written, and the caller has the failure
    throw failure;
  }
}

function mustFit(text: string, { path }: LockFile): void {
  const bytes = utf8Length(text);
  if (bytes <= maxLockBytes) return;
  const problem = `${path} would have ${bytes} bytes, and a lock file has at most ${maxLockBytes} (a fixed limit)`;
  throw new PorticoError('INVALID_ARGS', `nothing was accepted: ${problem}; accept less`);
}

async function driftOf(
  now: PlaneState,
  clock: Clock,
  server: string | undefined,
  { limit, offset }: DriftPage = { limit: Number.POSITIVE_INFINITY, offset: 0 },
): Promise<Omit<LockDrift, 'ok'>> {
  if (server !== undefined) mustBeServer(now, server);
  const fault = lockFault(now);
  const drifts = allDrifts(now).filter((drift) => server === undefined || drift.server === server);
  const isHeld = ({ id, server: of }: Drift) => now.lock.servers.get(of)?.held.has(id) === true;
  return {
    usable: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
    verdict: verdictIn(fault === undefined, drifts),
    drifts: drifts.slice(offset, offset + limit).map((drift) => driftView(drift, isHeld(drift))),
    total: drifts.length,
    findings: offset === 0 ? await findingViews(now, server, clock) : [],
  };
}

async function verify(now: PlaneState, text: string, clock: Clock): Promise<Omit<LockDrift, 'ok'>> {
  try {
    const lock = await parseInShares(text, clock);
    const drifts = [...goneServers(lock, now.config)];
    for (const [id, entries] of now.servers) {
      drifts.push(...(await inShares(clock, compareServer(id, lock.get(id), listedServer(now.config, id, entries)))));
    }
    const views = drifts.map((drift) => driftView(drift, false));
    return { usable: true, verdict: verdictIn(true, drifts), drifts: views, findings: [] };
  } catch (error) {
    if (!(error instanceof UnusableLock)) throw error;
    return { usable: false, fault: error.message, verdict: 2, drifts: [], findings: [] };
  }
}

/** The lock file of a control plane without files. */
const noFile: LockFile = {
  path: 'none',
  read: () => Promise.reject(new Error('this control plane has no place for a lock file')),
  write: () => Promise.reject(new Error('this control plane has no place for a lock file')),
  watch: () => () => {},
};

function lockIsOff(): PorticoError {
  return new PorticoError(
    'INVALID_ARGS',
    'there is no lock: set lock.mode to "warn" or "enforce" in the configuration',
  );
}

function mustBeServer({ config }: PlaneState, server: string): void {
  if (config.servers.has(server)) return;
  throw new PorticoError('RESOURCE_NOT_FOUND', `no server "${server}"`);
}

function listedOf({ config, servers }: PlaneState, drifts: readonly Drift[]) {
  const ids = new Set(drifts.map(({ server }) => server));
  const known = [...servers].filter(([id]) => ids.has(id));
  return new Map(known.map(([id, entries]) => [id, listedServer(config, id, entries)]));
}

function statusOf(now: PlaneState, path: string | undefined, revision: string): LockStatus {
  const { config, lock } = now;
  const { lock: locked, isMissing } = lock.loaded;
  const fault = lockFault(now);
  const drifts = allDrifts(now);
  const toServer = ([id]: readonly [string, ServerConfig]) => {
    const { drifts: own = [], held, isWhollyHeld = false } = lock.servers.get(id) ?? {};
    const { mode } = rulesOf(config, id);
    const counts = { drifts: own.length, held: held?.size ?? 0, wholly_held: isWhollyHeld };
    return { id, mode, locked: locked.has(id), ...counts };
  };
  return {
    mode: config.lock.mode,
    file: path ?? null,
    usable: fault === undefined,
    ...(fault === undefined ? {} : { fault }),
    ...(fault === undefined || isMissing !== true ? {} : { missing: true }),
    verdict: verdictIn(fault === undefined, drifts),
    revision,
    servers: [...config.servers].map(toServer),
  };
}
