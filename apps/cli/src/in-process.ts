// A host of this process, spoken to through the same client as a daemon, without a socket.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@portico/client';
import type { ServerInfo } from '@portico/contracts';
import { type Host, openHost, StateDirectoryInUse, stateDirectoryOf } from '@portico/host';
import { readSecret } from '@portico/host/place';
import { type Connection, type ConnectionOptions, configFileOf, namedConfigFile } from './connection-options.js';
import { NoDaemon } from './failures.js';
import { ownMcpStdio } from './own-command.js';
import { program } from './program.js';

export interface InProcessOptions {
  /** Whether the servers are started, and waited for until they have settled. */
  readonly servers: 'none' | 'started' | 'settled';
  /** The address that a daemon announced which cannot be reached. */
  readonly announced: string | undefined;
}

const baseUrl = 'http://127.0.0.1';
const settleMs = 15_000;

/** @throws NoDaemon when another process has the state directory, ConfigError, StateDirectoryError */
export async function openInProcess(
  options: ConnectionOptions,
  { servers, announced }: InProcessOptions,
): Promise<Connection> {
  const { token, profile, stateDir, stopped } = options;
  const host = await openHost({
    configFile: configFileOf(options),
    ...(stateDir === undefined ? {} : { stateDir }),
    bind: '127.0.0.1',
    logLevel: 'error',
    mcpStdio: ownMcpStdio(),
    env: process.env,
  }).catch((error: unknown) => {
    if (!(error instanceof StateDirectoryInUse)) throw error;
    const file = namedConfigFile(options);
    throw new NoDaemon(announced ?? `the address of ${file}`, file, error.message);
  });
  try {
    stopped?.throwIfAborted();
    if (servers !== 'none') host.start();
    if (servers === 'settled') await untilSettled(host, stopped);
  } catch (error) {
    await host.close();
    throw error;
  }
  const own =
    token ??
    (await readSecret(
      stateDirectoryOf({ configFile: configFileOf(options), stateDir, env: process.env }),
      'operator-token',
    ));
  const client = createClient({ baseUrl, token: own, profile, program, fetch: (url, init) => ask(host, url, init) });
  return { client, url: null, close: host.close };
}

/** The service wants to know by which name it was called. */
async function ask(host: Host, url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Host', new URL(url).host);
  return host.fetch(new Request(url, { ...init, headers }));
}

/** Each is connected, or has failed for the first time, or has had its time. */
async function untilSettled(host: Host, stopped: AbortSignal | undefined): Promise<void> {
  const giveUpAtMs = performance.now() + settleMs;
  const isUnsettled = ({ status }: ServerInfo) => status === 'connecting';
  while (host.plane.servers().some(isUnsettled) && performance.now() < giveUpAtMs) {
    await sleep(25, undefined, { signal: stopped });
  }
}
