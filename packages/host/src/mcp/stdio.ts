// MCP over stdin and stdout: joins the service of the state directory, or is that service until this client goes.
import { Console } from 'node:console';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ConfigError } from '@portico/config-host';
import { PorticoError } from '@portico/contracts';
import { StateDirectoryInUse } from '@portico/stores';
import { defaultStateDir } from '../default-state-dir.js';
import type { FileHostOptions } from '../host-options.js';
import { openHost } from '../open-host.js';
import type { Link } from '../relay/link.js';
import { relay } from '../relay/relay.js';
import { stopSignal } from '../run-process.js';
import { JoinRefused } from './handshake.js';
import { linkInProcess } from './in-process.js';
import { joinService } from './join.js';

export interface StdioOptions extends Omit<FileHostOptions, 'bind'> {
  readonly profile: string | null;
}

/** How long a service may hold the state directory without accepting joiners: it starts, or it ends. */
const patienceMs = 15_000;
const betweenAttemptsMs = 50;

/** Resolves when stdin has ended and what it asked is answered, or a stop signal came. @throws ConfigError, StateDirectoryError, AuditFileError */
export async function serveStdio(options: StdioOptions): Promise<void> {
  globalThis.console = new Console(process.stderr); // stdout belongs to the protocol: other output goes to stderr
  const stopped = new AbortController();
  void stopSignal().then((name) => stopped.abort(new Error(`stopped by ${name}`)));
  const connect = (signal: AbortSignal) => attach(options, signal);
  await relay({ input: process.stdin, output: process.stdout, stop: stopped.signal, connect });
}

/** @throws ConfigError for an unknown profile, StateDirectoryError when the directory stays in use */
async function attach(options: StdioOptions, signal: AbortSignal): Promise<Link> {
  const configFile = resolve(options.configFile);
  const stateDir = options.stateDir ?? defaultStateDir(configFile, options.env ?? process.env);
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const link = (await join(configFile, stateDir, options.profile)) ?? (await host(options).catch(inUse));
    if (!(link instanceof StateDirectoryInUse)) return link;
    if (performance.now() > giveUpAtMs) throw link;
    await setTimeout(betweenAttemptsMs, undefined, { signal });
  }
}

function join(configFile: string, stateDir: string, profile: string | null): Promise<Link | undefined> {
  return joinService(stateDir, profile).catch((error: unknown) => {
    if (error instanceof JoinRefused) throw unusable(configFile, error.message);
    throw error;
  });
}

async function host({ profile, ...options }: StdioOptions): Promise<Link> {
  const opened = await openHost({ ...options, tenure: 'interim' });
  try {
    const link = await linkInProcess(opened, profile);
    void opened.start();
    opened.watchProcess();
    return link;
  } catch (error) {
    await opened.close();
    throw error instanceof PorticoError ? unusable(resolve(options.configFile), error.message) : error;
  }
}

function inUse(error: unknown): StateDirectoryInUse {
  if (error instanceof StateDirectoryInUse) return error;
  throw error;
}

function unusable(configFile: string, message: string): ConfigError {
  return new ConfigError(configFile, [{ path: 'profiles', message }]);
}
