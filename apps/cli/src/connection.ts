// The connection of a command to the service: to the daemon it is pointed at or that it finds, or to a host of its own.
import { existsSync } from 'node:fs';
import { defaultStateDir, findDaemonAddress, readSecret } from '@portico/host/place';
import { askHealth } from './ask-health.js';
import { type Connection, type ConnectionOptions, configFileOf, namedConfigFile } from './connection-options.js';
import { NoDaemon, UsageFailure } from './failures.js';
import type { InProcessOptions } from './in-process.js';
import { locateDaemon, reachableAt } from './locate-daemon.js';
import { program } from './program.js';

export type { Connection, ConnectionOptions } from './connection-options.js';

const answerMs = 5000;

/** Sends nothing that changes anything. @throws NoDaemon, UsageFailure, ConfigError, StateDirectoryError */
export async function openConnection(given: ConnectionOptions): Promise<Connection> {
  const { inProcess = 'never' } = given;
  if (inProcess === 'always') {
    if (given.url !== undefined) throw new UsageFailure('--in-process and --url exclude each other');
    return openOwnHost(given, 'settled');
  }
  const named = namedAddress(given);
  const options = { ...given, ...(await locateDaemon(given, named)) };
  if (named !== undefined) return connectTo(named, options);
  const announced = await announcedAddress(options);
  if (inProcess === 'never') return connectTo(announced ?? (await configuredAddress(options)), options);
  if (announced !== undefined && (await askHealth(announced, answerMs, options.stopped)) === 'portico')
    return connectTo(announced, options);
  if (!existsSync(configFileOf(options))) return connectTo(await configuredAddress(options), options);
  return openOwnHost(options, inProcess === 'fallback' ? 'none' : 'started');
}

/** Where a daemon is named, or has said that it is; undefined if only its port may be known. @throws UsageFailure */
export async function findAddress(options: ConnectionOptions): Promise<string | undefined> {
  const named = namedAddress(options);
  return named ?? (await announcedAddress({ ...options, ...(await locateDaemon(options, named)) }));
}

/** That of --url or PORTICO_URL. @throws UsageFailure */
export function namedAddress({ url = process.env.PORTICO_URL }: ConnectionOptions): string | undefined {
  return url === undefined || url === '' ? undefined : toBaseUrl(url);
}

export async function connectTo(baseUrl: string, options: ConnectionOptions): Promise<Connection> {
  const { createClient } = await import('@portico/client');
  const client = createClient({
    baseUrl,
    token: tokenOf(options) ?? (await operatorTokenFor(baseUrl, options)),
    profile: options.profile,
    program,
  });
  return { client, url: baseUrl, close: async () => {} };
}

async function openOwnHost(options: ConnectionOptions, servers: InProcessOptions['servers']): Promise<Connection> {
  const { openInProcess } = await import('./in-process.js');
  const announced = await announcedAddress(options);
  return openInProcess({ ...options, token: tokenOf(options) }, { servers, announced });
}

/** @throws UsageFailure, which does not repeat it */
function tokenOf(options: ConnectionOptions): string | undefined {
  const token = options.token ?? process.env.PORTICO_TOKEN;
  if (token === undefined || /^[\x21-\x7e]*$/.test(token)) return token;
  throw new UsageFailure(
    'the token has spaces, or characters beyond ASCII, which no request can carry; check --token and PORTICO_TOKEN',
  );
}

/** Sent only to the daemon of the state directory that the token is in, and only while that runs. */
async function operatorTokenFor(baseUrl: string, given: ConnectionOptions): Promise<string | undefined> {
  const options = { ...given, ...(await locateDaemon(given, baseUrl)) };
  if (baseUrl !== (await announcedAddress(options))) return undefined;
  return readSecret(stateDirOf(options), 'operator-token');
}

function stateDirOf(options: ConnectionOptions): string {
  return options.stateDir ?? defaultStateDir(configFileOf(options), process.env);
}

async function announcedAddress(options: ConnectionOptions): Promise<string | undefined> {
  const url = await findDaemonAddress(stateDirOf(options));
  return url === undefined ? undefined : reachableAt(url);
}

async function configuredAddress(options: ConnectionOptions): Promise<string> {
  const file = configFileOf(options);
  if (!existsSync(file)) {
    if (options.config !== undefined) throw new UsageFailure(`${file}: there is no such file`);
    return 'http://127.0.0.1:9090';
  }
  const { loadConfig } = await import('@portico/host');
  const { port } = (await loadConfig(file)).config;
  if (port === 0) throw new NoDaemon('any port', namedConfigFile(options), 'none has left its address');
  return `http://127.0.0.1:${port}`;
}

/** @throws UsageFailure */
function toBaseUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageFailure(`"${text}" is no address of a daemon; expected one like http://127.0.0.1:9090`);
  }
  return text.replace(/\/+$/, '');
}
