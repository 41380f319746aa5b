// A built daemon in a home of its own, with its MCP listener, its log, and a probe that measures it from the inside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { send } from '../../e2e/src/support/client.js';
import { type Scope, tempFolder } from '../../faults/src/scope.js';

const pathOf = (place: string) => fileURLToPath(new URL(`../../../${place}`, import.meta.url));
const daemonMain = pathOf('apps/daemon/dist/main.js');
const probe = new URL('./probe.mjs', import.meta.url).href;
export const mcpStdioMain = pathOf('apps/mcp-stdio/dist/main.js');
export const cliMain = pathOf('apps/cli/dist/main.js');

export interface Measure {
  readonly memory: Readonly<Record<'rss' | 'heapUsed' | 'external', number>>;
  /** Resources that keep the event loop busy, by kind: timers, sockets, child processes. */
  readonly resources: Readonly<Record<string, number>>;
  /** Open file descriptors; 0 where there is no /proc. */
  readonly files: number;
}

export interface Service {
  readonly url: string;
  readonly mcpUrl: string;
  readonly pid: number;
  readonly folder: string;
  readonly configFile: string;
  readonly stateDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isAlive: () => boolean;
  /** Lines of the log that are errors, or that are no log lines at all. */
  readonly complaints: () => readonly string[];
  readonly get: <T>(path: string) => Promise<T>;
  readonly post: <T>(path: string, body: object, headers?: Readonly<Record<string, string>>) => Promise<T>;
  /** Waits until these servers are connected. */
  readonly connected: (...ids: readonly string[]) => Promise<void>;
  /** Collects garbage first. */
  readonly measure: () => Promise<Measure>;
  /** SIGTERM, and the exit code. */
  readonly stop: () => Promise<number | null>;
}

/** @param config gets an MCP listener on a port of its own */
export async function startService(scope: Scope, config: (folder: string) => object): Promise<Service> {
  const folder = tempFolder(scope);
  const home = join(folder, 'home');
  mkdirSync(home);
  const configFile = join(folder, 'config.json');
  const stateDir = join(folder, 'state');
  writeFileSync(configFile, JSON.stringify({ ...config(folder), mcpHttpServer: { port: 0 } }));
  const { XDG_CONFIG_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME, ...inherited } = process.env; // the AI clients of the user who runs this
  const env = { ...inherited, HOME: home };
  const args = ['--config', configFile, '--state-dir', stateDir, '--port', '0', '--log-level', 'warn'];
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, daemonMain, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let exitCode: number | null | undefined;
  const exited = once(child, 'close').then(([code]) => {
    exitCode = code ?? null;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await exited;
    clearTimeout(force);
    return exitCode ?? null;
  };
  scope.onClose(stop);
  let complaints: readonly string[] = [];
  let unfinished = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    complaints = [...complaints, ...lines.filter(isComplaint).map((line) => line.slice(0, 2000))].slice(0, 50);
  });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const [url, mcpUrl] = await Promise.race([
    addresses(() => stdout),
    exited.then((): never => {
      throw new Error(`the daemon ended: ${complaints.join('\n')} ${unfinished}`);
    }),
  ]);
  const get = async <T>(path: string) => (await send<T>(`${url}${path}`)).body;
  return {
    url,
    mcpUrl,
    pid: child.pid ?? 0,
    folder,
    configFile,
    stateDir,
    env,
    isAlive: () => exitCode === undefined,
    complaints: () => [...complaints, ...(unfinished === '' ? [] : [unfinished])],
    get,
    post: async <T>(path: string, body: object, headers = {}) => {
      const text = JSON.stringify(body);
      return (
        await send<T>(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: text,
        })
      ).body;
    },
    async connected(...ids) {
      const deadline = performance.now() + 30_000;
      for (;;) {
        const { servers } = await get<{ readonly servers: Readonly<Record<string, string>> }>('/readyz');
        if (ids.every((id) => servers[id] === 'connected')) return;
        if (performance.now() > deadline) throw new Error(`not connected in 30 s: ${JSON.stringify(servers)}`);
        await sleep(20);
      }
    },
    async measure() {
      const measured = once(child, 'message');
      child.send('measure');
      const [measure] = await measured;
      return { ...measure, files: filesOf(child.pid ?? 0) };
    },
    stop,
  };
}

async function addresses(stdout: () => string): Promise<readonly [string, string]> {
  for (;;) {
    const url = /^portico listening on (\S+)\n/m.exec(stdout())?.[1];
    const mcpUrl = /^portico mcp listening on (\S+)\n/m.exec(stdout())?.[1];
    if (url !== undefined && mcpUrl !== undefined) return [url, mcpUrl];
    await sleep(10);
  }
}

/** Internal errors: log lines, and output past the log, such as an unhandled rejection. */
function isComplaint(line: string): boolean {
  try {
    const { level } = JSON.parse(line);
    return level === 'error';
  } catch {
    return line.trim() !== '';
  }
}

function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
