// The composition root: reads the configuration, takes the state directory, and puts the pieces together. Never listens.
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { createSecretSource, openLockFile } from '@portico/config-host';
import type { Config, Issue, StdioServer } from '@portico/contracts';
import { type ControlPlane, createControlPlane, inStage, isLockOn, type Log } from '@portico/control-plane';
import { createEgress } from '@portico/egress';
import { createRestApi, malformedRequestBody, type RestApi } from '@portico/rest-api';
import { keepSecret } from '@portico/stores';
import { createMetrics, openTracing, readTracingSettings } from '@portico/telemetry';
import { createMcpConnector, installedPackage, type KnownSecrets, type McpConnector } from '@portico/upstream-mcp';
import { createCredentials, unauthenticatedBindIssues } from './access.js';
import { announceDaemon } from './announce-daemon.js';
import { type Closing, createClosing } from './closing.js';
import { createDeliveries, type Deliveries, type DeliveriesPlace } from './create-deliveries.js';
import { createLogins } from './create-logins.js';
import { createStores } from './create-stores.js';
import { environmentIssues } from './environment-issues.js';
import type { HostOptions } from './host-options.js';
import { createMcpFaces, type McpFaces } from './mcp/mcp-faces.js';
import { type McpListener, type McpListenerOverrides, openMcpListener } from './mcp/mcp-listener.js';
import { type HandOver, openServiceSocket } from './mcp/service-socket.js';
import { observeNotices, placeConsole } from './notices.js';
import { observeAudit, openAudit } from './open-audit.js';
import { type OpenConfiguration, openConfiguration } from './open-configuration.js';
import { openConsole } from './open-console.js';
import { openLogging } from './open-logging.js';
import { type OpenState, openState, type StorageDeps } from './open-state.js';
import { openOperator } from './operator/open-operator.js';
import { createOwnCalls, type OwnCalls } from './own-calls.js';
import { withOwnConnectors } from './own-connectors.js';
import { forgetSecrets } from './own-environment.js';
import { learnOwnSecrets } from './own-secrets.js';
import { createRandomHex } from './random-hex.js';
import { shareConfiguration } from './share-configuration.js';
import { systemClock } from './system-clock.js';
import { version } from './version.js';

export interface Host extends OwnCalls, AsyncDisposable {
  /** As it was at the start; `plane.state().config` is what is in force. */
  readonly config: Config;
  /** Everything that can be asked and changed. */
  readonly plane: ControlPlane;
  /** The HTTP facade, for the listener to serve. */
  readonly fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /** The most used routes of it straight from node:http; false leaves a request untouched for `fetch`. */
  readonly serveNode: RestApi['serveNode'];
  /** Body (JSON) of the answer to what never became a request. */
  readonly malformedRequestBody: (message: string) => string;
  /** A port that this host is served at, until the returned function is called: its own requests never go there. */
  readonly onListening: (port: number) => () => void;
  /** Called for each connection to it, before its first request. */
  readonly onConnection: (connection: Socket) => void;
  /** The plane as an MCP server over pipes. */
  readonly mcp: Pick<McpFaces, 'servePipe'>;
  /** The plane as an MCP server over HTTP, as the configuration has it and these override. @throws ConfigError */
  openMcpListener(overrides?: McpListenerOverrides): Promise<McpListener>;
  /**
   * Accepts other processes of this machine that share this service, until it is closed.
   * @param handOver closes this host for a process that asks for its state; without it the state is not handed over
   */
  listenForJoiners(handOver?: HandOver): Promise<void>;
  /** Leaves the address of the HTTP facade in the state directory and in the user's list of daemons, until it is closed. */
  announce(url: string): Promise<void>;
  /** Access without a role, a sentence for each rule in force. */
  accessRules(): readonly string[];
  /** Makes a code that opens the web console once, for its address: `/ui#code=<code>`. Null if it needs none. */
  issueConsoleCode(): string | null;
  readonly log: Log;
  /**
   * Starts to connect to the upstreams, once. Call it when sockets are open, so that they never wait for them. Resolves
   * when each has been tried, successfully or not.
   */
  start(): Promise<void>;
  /**
   * For a process that is this host's own: ends it where its event loop stands still for `limits.maxStallMs`.
   * @param onThread called when the thread that watches begins to start
   */
  watchProcess(onThread?: (thread: Worker) => void): void;
  /** Waits for running calls (5 s at most), then ends every session and child, and gives the state directory back. Safe to call twice. */
  close(): Promise<void>;
}

type Given = Omit<OpenConfiguration, 'source'>;
type Environment = Readonly<Record<string, string | undefined>>;

const graceMs = 5000;
/**
 * Clients that waited for the ready line send requests at once: these come first, and children do not take the
 * processor from them.
 */
const firstAnswersMs = 60;

/** Contacts no upstream before `start`. @throws ConfigError, EnvironmentError, StateDirectoryError, StorageError, AuditFileError */
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
  const { env = process.env, bind = '127.0.0.1' } = options;
  const { log, redactBy, knownSecrets, watchdog } = openLogging(options, closing);
  const resolving = { check: (found: Config) => unusable(found, bind, env), log };
  const { source, ...given } = await openConfiguration(options, env, resolving);
  const tracing = readTracingSettings(env);
  const metrics = createMetrics();
  const egress = createEgress();
  const lookUpSecret = createSecretSource({ env });
  const storing = { storage: source.current().config.storage, lookUpSecret, knownSecrets, log };
  const state = await openStateOf(options, given, storing, closing);
  const configSource = await shareConfiguration(source, given.file, state.database, log);
  const keepSecrets = (found: Config) => keepOwnSecrets(knownSecrets, found, env, options.forgetsSecrets === true);
  const config = keepSecrets(configSource.current().config);
  const tracer = await openTracer(tracing, log, closing);
  const operating = await openOperator(config, { stateDirectory: state.directory, bind, log, knownSecrets });
  const sending = { directory: given.directory, log, fetch: egress.fetch };
  const place = { ...state, stateDirectory: state.directory, isService: options.tenure !== undefined, ...sending };
  const audit = await openObservedAudit(config, place, metrics, closing);
  const randomHex = createRandomHex();
  const connecting = { clientInfo: { name: 'portico', version }, oauthStore: createLogins(state, log), egress };
  const observing = { inStage: stagesOf(watchdog), log, messageNames: messageNamesIn(configSource) };
  const findPackage = packagesOf(configSource, env);
  const connector = createMcpConnector({ ...connecting, ...observing, env, knownSecrets, lookUpSecret, findPackage });
  closing.add(connector.close);
  const retainLogins = ({ servers }: Config) => connector.retainLogins([...servers.keys()]);
  await retainLogins(config);
  const webConsole = placeConsole(options.webConsole === false ? undefined : openConsole());
  const announced = { configFile: given.file, stateDir: state.directory, env, log };
  const deliveries = openDeliveries(config, { ...sending, env }, metrics, closing);
  const observed = { log, tracer, metrics, stages: watchdog.stages };
  const plane = createControlPlane(
    {
      connector: withOwnConnectors(connector, options.connectors),
      clock: systemClock,
      randomHex,
      ...observed,
      ...createStores(state),
      ...deliveries,
      configSource,
      openLockFile: (name) => openLockFile(resolve(given.directory, name), log),
      onConfigured: follow(log, retainLogins, operating.follow, keepSecrets),
      ...audit.ofPlane,
      secrets: knownSecrets,
      aiClients: given.aiClients(state.directory),
      consoleUrl: webConsole.url,
    },
    config,
  );
  const faces = createMcpFaces({ plane, version, randomHex, log });
  closing.add(faces.close);
  closing.add(() => plane.close(graceMs)); // before the clients are disconnected: their running requests are answered
  redactBy(() => plane.state().policy.logRedactor);
  await plane.recover();
  const listening = { onListening: egress.own.add, onConnection: (it: Socket) => operating.peers?.expect(it) };
  const credentials = { ...createCredentials(plane, env, log, operating, egress.fetch), ...listening };
  const access = { bind, authenticate: credentials.ofApi(bind), consoleSessions: operating.consoleSessions };
  const checkState = () => state.ping().then(audit.check);
  const served = { plane, access, version, randomHex, log, checkState, tracer, webConsole: webConsole.files };
  closing.add(watchdog.stopping); // what was opened so far is closed behind this
  const api = createRestApi({ ...served, metrics: metrics.render });
  return {
    config,
    plane,
    fetch: api.fetch,
    serveNode: api.serveNode,
    malformedRequestBody: (message) => malformedRequestBody(message, randomHex),
    ...listening,
    mcp: faces,
    openMcpListener: (overrides = {}) => openMcpListener(faces, given.name, config, overrides, credentials),
    listenForJoiners: listenIn(state.directory, { plane, faces, log }, closing),
    announce: (url) => announceDaemon({ url: webConsole.servedAt(url), ...announced }, closing),
    accessRules: () => operating.describe(plane.state().config),
    issueConsoleCode: () => operating.consoleSessions.issueCode()?.code ?? null,
    log,
    start: () => startAll(options, connector, plane, [metrics, audit]),
    watchProcess: (onThread) => watchdog.watch(() => plane.state().config.limits.maxStallMs, onThread),
    ...createOwnCalls(plane, randomHex),
    close: closing.close,
    [Symbol.asyncDispose]: closing.close,
  };
}

function startAll(
  { tenure }: HostOptions,
  connector: Pick<McpConnector, 'deferChildren'>,
  plane: ControlPlane,
  others: readonly { start(): void }[],
): Promise<void> {
  if (tenure === 'owner') connector.deferChildren(firstAnswersMs);
  plane.start();
  for (const other of others) other.start();
  return plane.attempted();
}

const messageNamesIn = (source: Awaited<ReturnType<typeof shareConfiguration>>) => () =>
  source.current().config.limits.messageNames;

/** Looks up the package that a child runs, only while the lock is on. */
function packagesOf(source: Awaited<ReturnType<typeof shareConfiguration>>, env: Environment) {
  const isOn = () => isLockOn(source.current().config);
  return async (server: StdioServer) => (isOn() ? ((await installedPackage(server, env)) ?? null) : undefined);
}

const stagesOf =
  ({ stages }: ReturnType<typeof openLogging>['watchdog']) =>
  <T>(stage: string, server: string, work: () => T) =>
    inStage(stages, stage, server, work);

function listenIn(
  directory: string,
  { plane, faces, log }: { readonly plane: ControlPlane; readonly faces: McpFaces; readonly log: Log },
  closing: Closing,
): Host['listenForJoiners'] {
  const firstListWaitMs = () => plane.state().config.mcp.firstListWaitMs;
  return async (handOver) =>
    closing.add((await openServiceSocket(directory, faces, { firstListWaitMs, handOver }, log)).stopAccepting);
}

/** Knows the values of secrets before they are used, and has a process of its own forget the variables they came in. */
function keepOwnSecrets(known: KnownSecrets, config: Config, env: Environment, forgets: boolean): Config {
  const learnt = learnOwnSecrets(known, config, env);
  if (forgets) forgetSecrets(config, process.env);
  return learnt;
}

async function openObservedAudit(
  { audit: settings }: Config,
  place: Parameters<typeof openAudit>[1],
  metrics: Parameters<typeof observeAudit>[0],
  closing: Closing,
) {
  const audit = await openAudit(settings, place);
  closing.add(audit.close);
  observeAudit(metrics, audit);
  const digestKey = await keepSecret(place.stateDirectory, 'audit-digest-key');
  return { ...audit, ofPlane: { audit: audit.log, digestKey } };
}

function openDeliveries(
  config: Config,
  place: DeliveriesPlace,
  metrics: Parameters<typeof observeNotices>[0],
  closing: Closing,
): Omit<Deliveries, 'close' | 'noticeCounts'> {
  const { close, noticeCounts, ...deliveries } = createDeliveries(config, place);
  observeNotices(metrics, noticeCounts);
  closing.add(close);
  return deliveries;
}

async function openTracer(settings: ReturnType<typeof readTracingSettings>, log: Log, closing: Closing) {
  if (settings === null) return undefined;
  const tracing = await openTracing({ ...settings, version, log });
  closing.add(tracing.close);
  return tracing.tracer;
}

/** Updates other parts of the host when another configuration is in force. */
function follow(
  log: Log,
  retainLogins: (config: Config) => Promise<void>,
  ...others: readonly ((config: Config) => unknown)[]
): (config: Config) => void {
  return (changed) => {
    for (const other of others) other(changed);
    retainLogins(changed).catch((error: unknown) =>
      log('error', 'logins of removed servers are not deleted yet', { error }),
    );
  };
}

/** A directory of the host's own goes with it. */
async function openStateOf(
  { stateDir, tenure }: HostOptions,
  given: Given,
  storing: StorageDeps,
  closing: Closing,
): Promise<OpenState> {
  const { path, remove } = stateDir === undefined ? await given.ownStateDir() : { path: stateDir };
  if (remove !== undefined) closing.add(remove);
  const state = await openState(path, storing, tenure);
  closing.add(state.close);
  return state;
}

/** Problems of a valid configuration with these options and this environment. */
function unusable(config: Config, bind: string, env: Environment): Issue[] {
  return [...unauthenticatedBindIssues(config, bind), ...environmentIssues(config, env)];
}
