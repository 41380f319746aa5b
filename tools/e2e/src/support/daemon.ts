// A built daemon inside the process of the test: enough for most tests, in a tenth of the time of a process of its own.
// It is the daemon from its flags on, with its sockets, its state directory and its servers as children. Tests of a
// process (signals, exit codes, stdout, a clock of its own, being killed) use daemon-process.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Host from '@portico/host';
import { onCleanup, tempFolder } from './cleanup.js';
import { createDaemonClient, type DaemonClient, parseLines } from './daemon-client.js';
import { ownHome, runDaemon, startDaemonProcess } from './daemon-process.js';
import { keepLog } from './evidence.js';
import { repository } from './repository.js';
import { importBuilt, serveBuilt } from './serve-built.js';

export { parseLines } from './daemon-client.js';
export { repository } from './repository.js';

export interface DaemonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** One of its own by default; null gives none, and leaves the choice to the daemon. */
  readonly stateDir?: string | null;
  /** Used as it is, in place of a file that is made of the configuration. */
  readonly configFile?: string;
  /** 127.0.0.1 by default. */
  readonly bind?: string;
  /** `info` by default. */
  readonly logLevel?: Host.LogThreshold;
}

export interface Daemon extends DaemonClient {
  /** Endpoint of its MCP listener. @throws when its configuration has none */
  readonly mcpUrl: () => string;
  /** Log lines so far, parsed. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  /** The log so far, as it is. */
  readonly logText: () => string;
  stop(): Promise<unknown>;
}

/**
 * Starts a daemon and waits until it is ready, not for its upstreams. Stopped with the test or the file.
 * @param config an object, or the text of a configuration file
 */
export async function startDaemon(config: unknown, options: DaemonOptions = {}): Promise<Daemon> {
  if (process.env.PORTICO_E2E_DAEMONS === 'process')
    return startDaemonProcess(config, { cwd: process.cwd(), ...options });
  const folder = tempFolder();
  const { configFile = join(folder, 'config.json'), stateDir = join(folder, 'state'), env } = options;
  const { bind = '127.0.0.1', logLevel = 'info' } = options;
  if (config !== undefined) writeFileSync(configFile, typeof config === 'string' ? config : JSON.stringify(config));
  const { ready, logText, stop } = await serveBuilt(repository, {
    configFile,
    bind,
    logLevel,
    port: 0,
    ...(stateDir === null ? {} : { stateDir }),
    env: { ...process.env, ...ownHome(folder), ...env },
  });
  onCleanup(stop);
  keepLog('daemon', logText);
  const { api, mcp } = await ready;
  const mcpUrl = () => {
    if (mcp === undefined) throw new Error('its configuration has no MCP listener');
    return mcp;
  };
  return { ...createDaemonClient(api), mcpUrl, log: () => parseLines(logText()), logText, stop };
}

export interface Refusal {
  /** The exit code that a process would have. */
  readonly code: number;
  /** Its output on stderr, besides its log. */
  readonly stderr: string;
}

/** Starts a daemon that is expected to refuse its configuration or environment. */
export async function refusalOf(config: unknown, options: DaemonOptions = {}): Promise<Refusal> {
  if (process.env.PORTICO_E2E_DAEMONS === 'process') {
    const { code, stderr } = await runDaemon(config, options);
    return { code: code ?? 1, stderr };
  }
  try {
    await (await startDaemon(config, options)).stop();
    return { code: 0, stderr: '' };
  } catch (error) {
    const { failureOf } = await importBuilt<typeof Host>(repository, 'packages/host/dist/index.js');
    const { code, text } = failureOf(error);
    return { code, stderr: `${text}\n` };
  }
}
