// A session over stdio that keeps every answer as the text that came.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Program } from './install.js';
import { itemsOf, membersOf } from './raw-json.js';

export interface RawSession {
  /** The text of the result, or of the error. @throws where none comes, or the server ends */
  request(method: string, params?: object): Promise<string>;
  /** The texts of the items of every page; none if the server does not have the method. */
  list(method: string, field: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface RawOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The revision that is spoken; 2025-11-25 by default. */
  readonly revision?: string;
}

const modern = '2026-07-28';
/** The capabilities that Portico declares too, by which some servers choose their tools. A question is refused. */
const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const clientInfo = { name: 'interop', version: '1.0.0' };
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/clientInfo': clientInfo,
};
/** Only for a server that would never answer. */
const maxAnswerMs = 60_000;

/** Starts the program, and initializes a session where the revision has sessions. */
export async function openRawSession(
  { command, args }: Program,
  { env, revision = '2025-11-25' }: RawOptions = {},
): Promise<RawSession> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const waiting = new Map<number, (answer: string) => void>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-1000);
  });
  child.stdin.on('error', () => {}); // it may be gone
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface(child.stdout).on('line', (line) => {
    const members = membersOf(line);
    if (!members.has('method')) return waiting.get(Number(members.get('id')))?.(line);
    const id = members.get('id');
    if (id !== undefined) write({ id: JSON.parse(id), error: { code: -32601, message: 'Method not found' } });
  });
  const ended = Promise.race([
    once(child, 'exit').then(([code]) => `ended with ${code}`),
    once(child, 'error').then(([error]) => String(error)), // it could not be started
  ]).then((how) => {
    throw new Error(`${command} ${how}: ${stderr.trim().split('\n').at(-1)}`);
  });
  ended.catch(() => {});

  let lastId = 0;
  const request = async (method: string, params: object = {}) => {
    lastId += 1;
    const id = lastId;
    let tooLate: NodeJS.Timeout | undefined;
    const answer = new Promise<string>((resolve, reject) => {
      waiting.set(id, resolve);
      tooLate = setTimeout(() => reject(new Error(`${method} was not answered: ${stderr}`)), maxAnswerMs);
    });
    write({ id, method, params: revision === modern ? { ...params, _meta: modernMeta } : params });
    const members = membersOf(await Promise.race([answer, ended]));
    clearTimeout(tooLate);
    waiting.delete(id);
    return members.get('result') ?? members.get('error') ?? 'null';
  };

  if (revision !== modern) {
    await request('initialize', { protocolVersion: revision, capabilities, clientInfo });
    write({ method: 'notifications/initialized' });
  }
  return {
    request,
    async list(method, field) {
      const items: string[] = [];
      let cursor: string | undefined;
      do {
        const page = membersOf(await request(method, cursor === undefined ? {} : { cursor: JSON.parse(cursor) }));
        if (page.has('code')) return []; // an error: it has no such list
        items.push(...itemsOf(page.get(field) ?? '[]'));
        cursor = page.get('nextCursor');
      } while (cursor !== undefined && cursor !== 'null');
      return items;
    },
    async close() {
      const exited = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill();
      const tooLate = setTimeout(() => child.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(tooLate);
    },
  };
}
