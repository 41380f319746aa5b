// A client of MCP over stdio that costs the measuring process next to nothing: prepared lines, and answers that are looked
// at as text only. It starts the program that it talks to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './portico.js';
import { end } from './processes.js';

export interface StdioClient {
  /** Sends one request and waits for its answer. @param params JSON */
  ask(method: string, params: string): Promise<string>;
  /** Sends a message that has no answer. */
  send(line: string): void;
  /** Sends the same request this many times, each under an id of its own, and keeps a number of them in flight. */
  run(request: StdioLoad): Promise<void>;
  /** How long the program was on a core so far, microseconds. */
  cpuUs(): Promise<number>;
  stop(): Promise<void>;
}

export interface StdioLoad {
  readonly method: string;
  /** JSON. */
  readonly params: string;
  readonly inFlight: number;
  readonly total: number;
  /** The content of every good answer; another fails the run. */
  readonly expect: string;
}

const meter = join(root, 'tools/bench/src/yardsticks/cpu-meter.mjs');

/** @param args of Node: the program's file and its flags */
export function startStdioClient(args: readonly string[]): StdioClient {
  const child = spawn(process.execPath, ['--import', meter, ...args], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the program has no pipes');
  let nextId = 1;
  let onAnswer: (line: string) => void = () => {};
  let fail: (error: Error) => void = () => {};
  let rest = '';
  stdout.setEncoding('latin1').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('{"result"') || line.includes('"id":')) onAnswer(line);
  });
  child.on('exit', () => fail(new Error('the program ended')));
  const send = (method: string, params: string) =>
    stdin.write(`{"jsonrpc":"2.0","id":${nextId++},"method":"${method}","params":${params}}\n`);

  return {
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        [onAnswer, fail] = [resolve, reject];
        send(method, params);
      }),
    send: (line) => void stdin.write(`${line}\n`),
    run: ({ method, params, inFlight, total, expect }) =>
      new Promise((resolve, reject) => {
        let sent = 0;
        let answered = 0;
        const sendNext = () => {
          if (sent === total) return;
          sent += 1;
          send(method, params);
        };
        fail = reject;
        onAnswer = (line) => {
          if (!line.includes(expect)) return reject(new Error(`unexpected answer: ${line.slice(0, 500)}`));
          answered += 1;
          if (answered === total) resolve();
          else sendNext();
        };
        for (let n = 0; n < inFlight; n++) sendNext();
      }),
    async cpuUs() {
      child.send('cpu');
      const [us] = await once(child, 'message');
      return Number(us);
    },
    stop: () => end(child),
  };
}
