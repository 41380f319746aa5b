// Requests of another user of this machine: a process with a UID of its own sends them. Only root may start one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** `nobody` on most systems. */
export const foreignUid = 65_534;

/** Why no process of another user can be started here; undefined if one can. */
export const noForeignUser: string | undefined =
  process.platform !== 'linux'
    ? `${process.platform} has no /proc/net/tcp, so the rule is not in force here`
    : process.geteuid?.() === 0
      ? undefined
      : `this process runs as user ${process.geteuid?.()}; only root may start one of another user`;

export interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answered {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly text: string;
}

const program = `
const { Agent, request } = require('node:http');
const { base, asked } = JSON.parse(process.argv[1]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = ({ path, method = 'GET', headers = {}, body }) => new Promise((resolve) => {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const sent = request(base + path, { agent, method, headers: { ...type, ...headers } }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => { text += chunk; });
    response.on('end', () => resolve({ status: response.statusCode, text }));
  });
  sent.on('error', (error) => resolve({ status: 0, text: String(error) })).end(text);
});
(async () => {
  const answers = [];
  for (const each of asked) answers.push(await ask(each));
  agent.destroy(); // ends the process once all is written: exit() would drop what the pipe has no room for
  process.stdout.write(JSON.stringify(answers));
})();
`;

/** Runs a program of Node as the other user, and gives what it wrote. */
export async function runAsForeign(source: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['-e', source, ...args], {
    uid: foreignUid,
    gid: foreignUid,
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [written] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return written;
}

/** Sends the requests one after the other, over one connection. */
export async function askAsForeign(base: string, asked: readonly Asked[]): Promise<readonly Answered[]> {
  return JSON.parse(await runAsForeign(program, JSON.stringify({ base, asked })));
}
