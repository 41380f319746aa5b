// Starts the built daemon on a configuration of the test's, and asks it things. It never imports the product's code.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { onCleanup, tempFolder } from './cleanup.js';
import { type Reply, type RequestOptions, send } from './client.js';
import { eventually } from './wait.js';
import type { Envelope, List, ListName, Search, ServerInfo } from './wire.js';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const main = join(repository, 'apps/daemon/dist/main.js');
const defect = fileURLToPath(new URL('./defect.mjs', import.meta.url));
export const fastClock = fileURLToPath(new URL('./fast-clock.mjs', import.meta.url));

export interface DaemonOptions {
  /** Beside `--config`, `--state-dir` and `--port 0`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Null gives no `--state-dir`. */
  readonly stateDir?: string | null;
  /** Makes the daemon's clocks and timers run this many times as fast as real time. */
  readonly clockFactor?: number;
  /** Its clocks are this much ahead of real time. */
  readonly clockAheadMs?: number;
  /** By how much `jump` sets its clocks forward. */
  readonly clockJumpMs?: number;
  /** Every delay that a timer of the daemon is asked for is written there, a line each. */
  readonly delaysFile?: string;
  /** No file of the daemon may grow beyond this many blocks of 512 bytes: what a full disk is to it. */
  readonly maxFileBlocks?: number;
  /** Makes writing the result of a call of this trace fail inside the daemon. */
  readonly defectTraceId?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Daemon {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Log lines so far, parsed. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly exited: Promise<Exit>;
  send<T>(path: string, options?: RequestOptions): Promise<Reply<T>>;
  get<T>(path: string, headers?: RequestOptions['headers']): Promise<Reply<T>>;
  /** A string is sent as it is, anything else as JSON. */
  post<T>(path: string, body: unknown, headers?: RequestOptions['headers'], signal?: AbortSignal): Promise<Reply<T>>;
  list(name: ListName, headers?: RequestOptions['headers']): Promise<Reply<List>>;
  ids(name: ListName): Promise<readonly string[]>;
  search(body: object): Promise<Reply<Search>>;
  call<D = Envelope['data']>(id: string, args?: object, rest?: object): Promise<Reply<Envelope<D>>>;
  server(id: string): Promise<ServerInfo>;
  /** Waits until every one of these servers is connected; all of them without arguments. */
  connected(...ids: readonly string[]): Promise<void>;
  /** Sets its clocks forward by `clockJumpMs`, soon. What waits by a timer goes on waiting. */
  jump(): void;
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Starts a daemon and waits for its ready line, not for its upstreams. Ended with the test or the file. */
export async function startDaemon(config: unknown, options: DaemonOptions = {}): Promise<Daemon> {
  const { child, exited, stdout, stderr } = launch(config, options);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
    const exit = await exited;
    clearTimeout(force);
    return exit;
  };
  onCleanup(() => stop());
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.on('data', () => stdout().includes('\n') && resolve())),
    exited.then(({ code }) => {
      throw new Error(`the daemon ended with ${code} before it was ready: ${stderr()}`);
    }),
  ]);
  const url = /listening on (http:\/\/\S+)/.exec(stdout())?.[1] ?? '';
  // Bound to every address it is asked at the one that every machine has.
  const base = url.replace('0.0.0.0', '127.0.0.1');

  const sendTo = <T>(path: string, request?: RequestOptions) => send<T>(`${base}${path}`, request);
  const get = <T>(path: string, headers = {}) => sendTo<T>(path, { headers });
  const post = <T>(path: string, body: unknown, headers = {}, signal?: AbortSignal) =>
    sendTo<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const servers = async () => (await get<{ readonly servers: readonly ServerInfo[] }>('/v1/servers')).body.servers;

  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    stdout,
    stderr,
    log: () => parseLines(stderr()),
    exited,
    send: sendTo,
    get,
    post,
    list: (name, headers) => get(`/v1/${name}`, headers),
    ids: async (name) => (await get<List>(`/v1/${name}`)).body[name].map(({ id }) => id),
    search: (body) => post('/v1/capabilities/search', body),
    call: (id, args = {}, rest = {}) => post('/v1/tools/call', { capability_id: id, args, ...rest }),
    async server(id) {
      const found = (await servers()).find((server) => server.id === id);
      if (found === undefined) throw new Error(`the daemon has no server ${id}`);
      return found;
    },
    connected: (...ids) =>
      eventually(async () => {
        const asked = (await servers()).filter(({ id }) => ids.length === 0 || ids.includes(id));
        expect(asked.filter(({ status }) => status !== 'connected')).toEqual([]);
      }),
    jump() {
      if (options.clockJumpMs === undefined) throw new Error('start it with clockJumpMs'); // else the signal ends it
      child.kill('SIGUSR2');
    },
    stop,
  };
}

/** Starts a daemon that is expected to end by itself, and waits for that. */
export function runDaemon(config: unknown, options: DaemonOptions = {}): Promise<Exit> {
  const { child, exited } = launch(config, options);
  onCleanup(() => child.kill('SIGKILL'));
  return exited;
}

/** A log or journal of one JSON value a line; an unfinished last line is left out. */
export function parseLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The AI clients of whoever runs the tests are none of their business. */
function ownHome(folder: string) {
  return { HOME: folder, XDG_CONFIG_HOME: undefined, CLAUDE_CONFIG_DIR: undefined, CODEX_HOME: undefined };
}

interface Launched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<Exit>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** A config that is a string is written as it is; undefined writes no file and gives no `--config`. */
function launch(config: unknown, options: DaemonOptions): Launched {
  const { args, env, cwd, stateDir, defectTraceId, maxFileBlocks } = options;
  const folder = tempFolder();
  const file = join(folder, 'config.json');
  if (config !== undefined) writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  const clock = clockOf(options);
  const limited = maxFileBlocks === undefined ? [] : ['-c', `ulimit -f ${maxFileBlocks}; exec "$@"`, 'sh'];
  const child = spawn(
    limited.length === 0 ? process.execPath : '/bin/sh',
    [
      ...(limited.length === 0 ? [] : [...limited, process.execPath]),
      ...(Object.keys(clock).length === 0 ? [] : ['--import', fastClock]),
      ...(defectTraceId === undefined ? [] : ['--import', defect]),
      main,
      ...(config === undefined ? [] : ['--config', file]),
      ...(stateDir === null ? [] : ['--state-dir', stateDir ?? join(folder, 'state')]),
      ...(args ?? ['--port', '0']),
    ],
    {
      cwd: cwd ?? folder,
      env: {
        ...process.env,
        ...ownHome(folder),
        ...env,
        ...clock,
        ...(defectTraceId === undefined ? {} : { DEFECT_TRACE_ID: defectTraceId }),
      },
    },
  );
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const exited = once(child, 'close').then(([code]) => ({ code, stdout: stdout(), stderr: stderr() }));
  return { child, exited, stdout, stderr };
}

/** What fast-clock.mjs is told. */
function clockOf({
  clockFactor,
  clockAheadMs,
  clockJumpMs,
  delaysFile,
}: DaemonOptions): Readonly<Record<string, string>> {
  const settings = {
    CLOCK_FACTOR: clockFactor,
    CLOCK_AHEAD_MS: clockAheadMs,
    CLOCK_JUMP_MS: clockJumpMs,
    CLOCK_DELAYS: delaysFile,
  };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
