// Looks at everything that `portico doctor` judges. Starts nothing but the servers, and those only where it may.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ApiClient, ApiError, UnreachableError } from '@portico/client';
import {
  AuditFileError,
  ConfigError,
  type InspectedConfig,
  inspectConfig,
  inspectState,
  openUserClients,
  probeServers,
  verifyAuditFile,
} from '@portico/host';
import { ownMcpStdio } from '../own-command.js';
import { type Finding, problem } from './findings.js';
import * as judge from './judge.js';

export interface Examined {
  readonly configFile: string;
  readonly stateDir?: string | undefined;
  /** Starts and reaches no server. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  /** Opens a client of the daemon that may run on the configured port. */
  readonly connect: (port: number) => Promise<{ readonly client: ApiClient; readonly url: string }>;
}

const defaultPort = 9090;

/** In the order in which they are to be read. */
export async function examine(options: Examined): Promise<readonly Finding[]> {
  const configFile = resolve(options.configFile);
  const place = { configFile, stateDir: options.stateDir, env: options.env };
  const seen = await readConfig(configFile, options);
  const inspected = Array.isArray(seen) ? undefined : (seen as InspectedConfig); // a list is what is wrong
  const [state, daemon, probes, audit, clients] = await Promise.all([
    inspectState(place),
    examineDaemon(options, inspected?.config.port ?? defaultPort),
    inspected === undefined || options.offline ? [] : probeServers(inspected.config, options),
    inspected === undefined ? [] : examineAudit(configFile, inspected),
    examineClients(place),
  ]);
  return [
    judge.judgeNode(process.version),
    ...(inspected === undefined ? (seen as Finding[]) : judge.judgeConfig(configFile, inspected)),
    judge.judgeState(state),
    ...daemon,
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

async function examineDaemon({ connect }: Examined, port: number): Promise<readonly Finding[]> {
  const { client, url } = await connect(port);
  return judge.judgeDaemon(url, await seeDaemon(client));
}

async function seeDaemon(client: ApiClient): Promise<judge.DaemonSeen> {
  try {
    return { kind: 'here', servers: (await client.listServers()).servers };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'refused', message: error.message };
    return { kind: error instanceof UnreachableError && isRefused(error) ? 'absent' : 'other' };
  }
}

/** Nobody listens; anything else that is no answer is that of another program. */
function isRefused({ cause }: UnreachableError): boolean {
  const deepest = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return deepest instanceof Error && 'code' in deepest && deepest.code === 'ECONNREFUSED';
}

async function examineAudit(configFile: string, { config }: InspectedConfig): Promise<readonly Finding[]> {
  const { filePath } = config.audit;
  if (filePath === null || !config.audit.isEnabled) return [];
  const file = resolve(dirname(configFile), filePath);
  if (!existsSync(file)) return [judge.judgeAudit(file, undefined)];
  try {
    return [judge.judgeAudit(file, await verifyAuditFile(file))];
  } catch (error) {
    if (!(error instanceof AuditFileError)) throw error;
    return [problem('audit-broken', 'audit', error.message)];
  }
}

async function examineClients(place: Parameters<typeof openUserClients>[0]): Promise<readonly judge.ClientSeen[]> {
  const clients = openUserClients({ ...place, mcpStdio: ownMcpStdio() });
  const detected = (await clients.list()).filter((client) => client.detected);
  return Promise.all(
    detected.map(async ({ id, name, attached }) => {
      const isCurrent = attached && (await clients.preview(id, 'attach').then(isSame, () => false));
      return { id, name, attached, isCurrent };
    }),
  );
}

function isSame({ before, after }: { readonly before: string | null; readonly after: string | null }): boolean {
  return before === after;
}
