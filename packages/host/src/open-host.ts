// The composition root: reads the configuration, takes the state directory, and puts the pieces together. Never listens.
import { resolve } from 'node:path';
import { ConfigError, loadConfig } from '@portico/config-host';
import type { Config } from '@portico/contracts';
import { type ControlPlane, createControlPlane, type Log } from '@portico/control-plane';
import { createWebhookSender } from '@portico/delivery';
import { createRestApi, isLoopback, malformedRequestBody } from '@portico/rest-api';
import { createLedger, createTicketStore } from '@portico/stores';
import { createLogger, createMetrics, type LogThreshold, openTracing, readTracingSettings } from '@portico/telemetry';
import { createMcpConnector } from '@portico/upstream-mcp';
import { type Closing, createClosing } from './closing.js';
import { observeAudit, openAudit } from './open-audit.js';
import { defaultStateDir, openState } from './open-state.js';
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

/** Contacts no upstream before `start`. @throws ConfigError, EnvironmentError, StateDirectoryError, AuditFileError */
export async function openHost(options: HostOptions): Promise<Host> {
  const closing = createClosing();
  try {
    return await open(options, closing);
  } catch (error) {
    await closing.close().catch(() => {}); // the first reason counts
    throw error;
  }
}

async function open(options: HostOptions, closing: Closing): Promise<Host> {
  const { env, bind } = options;
  const configFile = resolve(options.configFile);
  const { config, unknownFields } = await loadConfig(configFile);
  refuseUnusable(configFile, config, options);
  const tracingSettings = readTracingSettings(env);

  const redaction = createRedactingLog(createLogger({ level: options.logLevel }));
  const { log } = redaction;
  const metrics = createMetrics();
  const state = await openState(options.stateDir ?? defaultStateDir(configFile, env));
  closing.add(state.close);
  const tracing = tracingSettings === null ? undefined : await openTracing({ ...tracingSettings, version, log });
  if (tracing !== undefined) closing.add(tracing.close);
  if (unknownFields.length > 0)
    log('warn', 'the configuration has fields that Portico does not know', { unknownFields });

  const place = { configFile, stateDirectory: state.directory, database: state.database, log };
  const audit = await openAudit(config.audit, place);
  closing.add(audit.close);
  observeAudit(metrics, audit);
  const randomHex = createRandomHex();
  const connector = createMcpConnector({ clientInfo: { name: 'portico', version }, env, log });
  closing.add(connector.close);
  const webhooks = createWebhookSender({ env, log });
  closing.add(() => webhooks.close(webhookGraceMs));
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
      tracer: tracing?.tracer,
      metrics,
    },
    config,
  );
  closing.add(() => plane.close(graceMs));
  redaction.follow(() => plane.state().policy.redactor);
  await plane.recover();
  const access = { bind, authToken: isLoopback(bind) ? null : config.authToken };
  const checkState = async () => {
    await state.ping();
    audit.check();
  };
  const tracer = tracing?.tracer;
  const api = createRestApi({ plane, access, version, randomHex, log, checkState, metrics: metrics.render, tracer });
  return {
    config,
    plane,
    fetch: api.fetch,
    malformedRequestBody: (message) => malformedRequestBody(message, randomHex),
    log,
    start() {
      plane.start();
      metrics.start();
      audit.start();
    },
    close: closing.close,
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
