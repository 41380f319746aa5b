// The composition root: reads the configuration, takes the state directory, and puts the pieces together. Never listens.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigError, loadConfig } from '@portico/config-host';
import type { Config } from '@portico/contracts';
import { type ControlPlane, createControlPlane, type Log } from '@portico/control-plane';
import { createWebhookSender } from '@portico/delivery';
import { createRestApi, isLoopback, malformedRequestBody } from '@portico/rest-api';
import { createLedger, createTicketStore, openStateDatabase, openStateDirectory } from '@portico/stores';
import { createLogger, type LogThreshold } from '@portico/telemetry';
import { createMcpConnector } from '@portico/upstream-mcp';
import { openAudit } from './open-audit.js';
import { createRandomHex } from './random-hex.js';
import { createRedactingLog } from './redacting-log.js';
import { systemClock } from './system-clock.js';
import { version } from './version.js';

export interface HostOptions {
  /** Configuration file; relative to the working directory. */
  readonly configFile: string;
  /** Where state is kept; a directory of its own per configuration file by default. */
  readonly stateDir?: string;
  /** Address the facade will be bound to. Beyond loopback the configuration needs an `authToken`. */
  readonly bind: string;
  readonly logLevel: LogThreshold;
  /** The environment: secrets named by the configuration, and what children inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Host {
  readonly config: Config;
  readonly plane: ControlPlane;
  /** The HTTP facade, to be served by whoever listens. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /** Body (JSON) of the answer to what never became a request. */
  readonly malformedRequestBody: (message: string) => string;
  readonly log: Log;
  /** Starts to connect to the upstreams. Call it when the socket is open, so that it never waits for them. */
  start(): void;
  /** Waits for running calls (5 s at most), then ends every session and child, and gives the state directory back. Safe to call twice. */
  close(): Promise<void>;
}

const graceMs = 5000;
const webhookGraceMs = 1000;

/** Contacts no upstream before `start`. @throws ConfigError, StateDirectoryError */
export async function openHost(options: HostOptions): Promise<Host> {
  const { env, bind } = options;
  const configFile = resolve(options.configFile);
  const { config, unknownFields } = await loadConfig(configFile);
  refuseUnusable(configFile, config, options);

  const redaction = createRedactingLog(createLogger({ level: options.logLevel }));
  const { log } = redaction;
  const state = await openState(options.stateDir ?? defaultStateDir(configFile, env));
  if (unknownFields.length > 0)
    log('warn', 'the configuration has fields that Portico does not know', { unknownFields });

  const audit = await openAudit(config.audit);
  const randomHex = createRandomHex();
  const connector = createMcpConnector({ clientInfo: { name: 'portico', version }, env, log });
  const webhooks = createWebhookSender({ env, log });
  const plane = createControlPlane(
    {
      connector,
      clock: systemClock,
      randomHex,
      log,
      ledger: createLedger(state.database),
      tickets: createTicketStore(state.database),
      audit: audit.log,
      notifyApproval: (webhook, notice) =>
        webhooks.send(webhook, {
          event: notice.event,
          approvalId: notice.approval.id,
          body: JSON.stringify(notice),
        }),
    },
    config,
  );
  redaction.follow(() => plane.state().policy.redactor);
  const tell = (event_type: 'service_start' | 'service_stop') =>
    audit.log
      .append({
        timestamp: new Date().toISOString(),
        event_type,
        status: 'success',
        details: { version, pid: process.pid },
      })
      .catch((error: unknown) => log('error', 'an audit record could not be written', { error }));
  await tell('service_start');
  await plane.recover();
  const access = { bind, authToken: isLoopback(bind) ? null : config.authToken };
  const checkState = state.database.ping;
  const api = createRestApi({ plane, access, version, randomHex, log, checkState });

  const closeAll = async () => {
    await plane.close(graceMs);
    await webhooks.close(webhookGraceMs);
    await connector.close();
    await tell('service_stop');
    await audit.close();
    await state.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  return {
    config,
    plane,
    fetch: api.fetch,
    malformedRequestBody: (message) => malformedRequestBody(message, randomHex),
    log,
    start: plane.start,
    close,
  };
}

/** What is valid by itself but not with these options and this environment. @throws ConfigError */
function refuseUnusable(configFile: string, { authToken, policy }: Config, { bind, env }: HostOptions): void {
  const secretEnv = policy.webhook?.secretEnv ?? null;
  const issues = [
    ...(isLoopback(bind) || authToken !== null
      ? []
      : [{ path: 'authToken', message: `is required to bind to ${bind}, which is not loopback` }]),
    ...(secretEnv === null || env[secretEnv]
      ? []
      : [{ path: 'policy.webhook.secretEnv', message: `environment variable ${secretEnv} is not set` }]),
  ];
  if (issues.length > 0) throw new ConfigError(configFile, issues);
}

/** The database of a directory that is ours alone. @throws StateDirectoryError */
async function openState(path: string) {
  const directory = await openStateDirectory(path);
  try {
    const database = await openStateDatabase(path);
    const close = async () => {
      await database.close();
      await directory.close();
    };
    return { database, close };
  } catch (error) {
    await directory.close();
    throw error;
  }
}

function defaultStateDir(configFile: string, env: HostOptions['env']): string {
  const base = env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return join(base, 'portico', createHash('sha256').update(configFile).digest('hex').slice(0, 16));
}
