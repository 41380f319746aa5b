// The daemon from start to end: flags, host, socket, stop signal, and everything closed again.
import { AuditFileError, ConfigError, EnvironmentError, type Host, openHost, StateDirectoryError } from '@portico/host';
import { parseFlags } from './flags.js';
import { ListenError, listen } from './listen.js';

export interface DaemonEvents {
  /** Called with the base address once it accepts connections. */
  readonly onReady?: (url: string) => void;
}

/**
 * Runs until SIGTERM or SIGINT, then ends the process: 0 after a clean stop, 2 when flags, configuration, environment,
 * state directory, audit file or port cannot be used, 1 after a defect.
 * @param argv arguments behind the program's name
 */
export async function runDaemon(argv: readonly string[], events: DaemonEvents = {}): Promise<never> {
  const flags = parseFlags(argv);
  try {
    const host = await openHost({ ...flags, env: process.env });
    await serveUntilStopped(host, flags.bind, flags.port ?? host.config.port, events);
  } catch (error) {
    const isRefusal = refusals.some((refusal) => error instanceof refusal);
    const told = error instanceof Error ? (isRefusal ? error.message : error.stack) : error;
    process.stderr.write(`${told}\n`);
    process.exit(isRefusal ? 2 : 1);
  }
  process.exit(0);
}

const refusals = [AuditFileError, ConfigError, EnvironmentError, StateDirectoryError, ListenError] as const;

async function serveUntilStopped(host: Host, bind: string, port: number, events: DaemonEvents): Promise<void> {
  try {
    const stopped = stopSignal();
    const server = await listen(host, bind, port);
    process.stdout.write(`portico listening on ${server.url}\n`);
    host.start();
    events.onReady?.(server.url);
    host.log('info', 'stopping', { signal: await stopped });
    const closed = server.stopAccepting();
    await host.close();
    await closed();
  } finally {
    await host.close();
  }
}

/** Resolves with the name of the first stop signal. Later ones change nothing: the stop is bounded by itself. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
}
