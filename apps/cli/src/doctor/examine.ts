// Looks at everything that `portico doctor` judges. Starts nothing but the servers, and those only where it may.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Answers, type ApiClient, ApiError, UnexpectedAnswerError, UnreachableError } from '@portico/client';
import type { FrameCounts } from '@portico/contracts';
import {
  AuditFileError,
  ConfigError,
  type InspectedConfig,
  inspectAccess,
  inspectConfig,
  inspectLock,
  inspectSearchModel,
  inspectState,
  inspectStorage,
  openUserClients,
  probeServers,
  unencryptedStorage,
  verifyAuditFile,
} from '@portico/host';
import { askHealth } from '../ask-health.js';
import { allPages } from '../lock/all-pages.js';
import { ownMcpStdio } from '../own-command.js';
import { type Finding, problem } from './findings.js';
import * as judge from './judge.js';
import { judgeLock, type LockSeen } from './judge-lock.js';

export interface Examined {
  readonly configFile: string;
  readonly stateDir?: string | undefined;
  /** Starts and reaches no server. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  /** Where a daemon may run, by the configured port where no better is known; undefined for port 0. */
  readonly findDaemon: (port: number) => Promise<string | undefined>;
  /** Called only where Portico has answered: it may send a token. */
  readonly connect: (url: string) => Promise<DoctorClient>;
}

type DoctorClient = Pick<ApiClient, 'listServers' | 'listUnmatchedRules' | 'listFrames'> &
  Partial<Pick<ApiClient, 'listNotices' | 'getLock' | 'getLockDrift'>>;

const defaultPort = 9090;

/** In the order in which things are looked at. */
export async function examine(options: Examined): Promise<readonly Finding[]> {
  const configFile = resolve(options.configFile);
  const place = { configFile, stateDir: options.stateDir, env: options.env };
  const seen = await readConfig(configFile, options);
  const inspected = Array.isArray(seen) ? undefined : (seen as InspectedConfig); // a list is what is wrong
  const [state, storage, searchModel, daemon, probes, audit, clients] = await Promise.all([
    inspectState(place),
    inspected?.config.storage == null ? undefined : inspectStorage(inspected.config.storage, options.env),
    inspected === undefined ? undefined : inspectSearchModel(inspected.config.search),
    lookForDaemon(options, inspected?.config.port ?? defaultPort),
    inspected === undefined || options.offline ? [] : probeServers(inspected.config, options),
    inspected === undefined ? [] : examineAudit(configFile, inspected),
    examineClients(place, inspected?.servers ?? {}),
  ]);
  return [
    judge.judgeNode(process.version),
    ...(inspected === undefined ? (seen as Finding[]) : judge.judgeConfig(configFile, inspected)),
    ...(inspected === undefined ? [] : judge.judgeStorage(unencryptedStorage(inspected.config.storage, options.env))),
    ...judge.judgeReach(storage),
    ...judge.judgeSearchModel(searchModel),
    judge.judgeState(state),
    ...(inspected === undefined ? [] : [judge.judgeAccess(await inspectAccess(inspected.config))]),
    ...judgeLooked(daemon),
    ...(inspected === undefined || daemon?.seen.kind === 'here' ? [] : await examineLock(place, inspected)),
    ...audit,
    ...probes.map(judge.judgeProbe),
    ...judge.judgeClients(clients),
  ];
}

async function readConfig(configFile: string, { env, limitMs }: Examined): Promise<InspectedConfig | Finding[]> {
  try {
    return await inspectConfig(configFile, env, AbortSignal.timeout(limitMs));
  } catch (error) {
    if (error instanceof ConfigError) return judge.judgeBadConfig(configFile, error.issues, existsSync(configFile));
    if (!(error instanceof DOMException)) throw error;
    return [problem('secret-unresolved', 'secrets', `were not there within ${limitMs} ms`)];
  }
}

type DaemonOptions = Pick<Examined, 'findDaemon' | 'connect' | 'limitMs'>;

export async function examineDaemon(options: DaemonOptions, port: number): Promise<readonly Finding[]> {
  return judgeLooked(await lookForDaemon(options, port));
}

interface Looked {
  readonly url: string;
  readonly seen: judge.DaemonSeen;
}

/** Undefined if the system chooses the port and no port is known. */
async function lookForDaemon(options: DaemonOptions, port: number): Promise<Looked | undefined> {
  const url = await options.findDaemon(port);
  return url === undefined ? undefined : { url, seen: await seeDaemon(options, url) };
}

function judgeLooked(looked: Looked | undefined): readonly Finding[] {
  return looked === undefined ? [judge.judgeNoDaemon()] : judge.judgeDaemon(looked.url, looked.seen);
}

async function seeDaemon({ connect, limitMs }: DaemonOptions, url: string): Promise<judge.DaemonSeen> {
  const health = await askHealth(url, limitMs);
  if (health !== 'portico') return { kind: health };
  const signal = AbortSignal.timeout(limitMs);
  try {
    const client = await connect(url);
    const answer: Partial<Answers['listServers']> | null = await client.listServers({ signal });
    if (!Array.isArray(answer?.servers)) return { kind: 'other' };
    const { servers } = answer;
    const [unmatched, inspector, notices, lock] = await Promise.all([
      seeUnmatched(client, signal),
      seeInspector(client, signal),
      seeNotices(client, signal),
      seeLock(client, signal),
    ]);
    return { kind: 'here', servers, unmatched, inspector, notices, lock };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'refused', message: error.message };
    if (signal.aborted) return { kind: 'refused', message: `no list of servers within ${limitMs} ms` };
    if (error instanceof UnreachableError || error instanceof UnexpectedAnswerError) return { kind: 'other' };
    throw error;
  }
}

/** None if the daemon is an older one, or the token may not administer. */
async function seeUnmatched(
  client: Pick<ApiClient, 'listUnmatchedRules'>,
  signal: AbortSignal,
): Promise<Answers['listUnmatchedRules']['unmatched']> {
  try {
    return (await client.listUnmatchedRules({ signal })).unmatched;
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Undefined if it is off, the daemon is an older one, or the token may not administer. */
async function seeInspector(
  client: Pick<ApiClient, 'listFrames'>,
  signal: AbortSignal,
): Promise<FrameCounts | undefined> {
  try {
    return (await client.listFrames({ limit: 1 }, { signal })).counts;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** None if the daemon is an older one, or the token may not administer. */
async function seeNotices({ listNotices }: DoctorClient, signal: AbortSignal): Promise<judge.NoticesSeen> {
  try {
    return (await listNotices?.({ signal }))?.receivers ?? [];
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

/** Undefined if the daemon is an older one, or the token has no admin role. */
async function seeLock({ getLock, getLockDrift }: DoctorClient, signal: AbortSignal): Promise<LockSeen | undefined> {
  if (getLock === undefined || getLockDrift === undefined) return undefined;
  try {
    const [{ servers, file, missing = false, fault }, { drifts, findings }] = await Promise.all([
      getLock({ signal }),
      allPages((page) => getLockDrift(page, { signal })),
    ]);
    const whollyHeld = servers.filter(({ wholly_held: isWhole }) => isWhole).map(({ id }) => id);
    const mode = strictestOf(servers.map((server) => server.mode));
    return { mode, file: file ?? undefined, isMissing: missing, fault, drifts, findings, whollyHeld };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The same without a daemon, from what the last run has kept. Nothing is held then. */
async function examineLock(place: Parameters<typeof inspectLock>[0], { config }: InspectedConfig) {
  const { drift, isMissing, path: file } = await inspectLock(place);
  const { fault, drifts, findings } = drift;
  const mode = strictestOf([...config.servers.keys()].map((id) => (config.lock.servers.get(id) ?? config.lock).mode));
  return judgeLock({ mode, file, isMissing, fault, drifts, findings, whollyHeld: [] });
}

function strictestOf(modes: readonly LockSeen['mode'][]): LockSeen['mode'] {
  return (['enforce', 'warn'] as const).find((mode) => modes.includes(mode)) ?? 'off';
}

async function examineAudit(configFile: string, { config }: InspectedConfig): Promise<readonly Finding[]> {
  const { filePath, isEnabled } = config.audit;
  if (!isEnabled || (filePath === null && config.storage !== null)) return [];
  if (filePath === null) return [judge.judgeVolatileAudit()];
  const file = resolve(dirname(configFile), filePath);
  if (!existsSync(file)) return [judge.judgeAudit(file, undefined)];
  try {
    return [judge.judgeAudit(file, await verifyAuditFile(file))];
  } catch (error) {
    if (!(error instanceof AuditFileError)) throw error;
    return [problem('audit-broken', 'audit', error.message)];
  }
}

async function examineClients(
  place: Parameters<typeof openUserClients>[0],
  configured: InspectedConfig['servers'],
): Promise<readonly judge.ClientSeen[]> {
  const clients = openUserClients({ ...place, mcpStdio: ownMcpStdio() });
  const detected = (await clients.list(configured)).filter((client) => client.detected);
  return Promise.all(
    detected.map(async ({ id, name, attached, direct_servers }) => {
      const isCurrent = attached && (await clients.preview(id, 'attach').then(isSame, () => false));
      return { id, name, attached, isCurrent, direct_servers };
    }),
  );
}

function isSame({ before, after }: { readonly before: string | null; readonly after: string | null }): boolean {
  return before === after;
}
