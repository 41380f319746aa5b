// Clients over the MCP faces: streamable HTTP in both eras, and stdio processes that come and go.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../faults/src/random.js';
import type { Scope } from '../../faults/src/scope.js';
import { sendCase } from '../../fuzz/src/http.js';
import { createRpcJudge, type RpcMessage } from '../../fuzz/src/rpc/judge.js';
import { mcpStdioMain, type Service } from '../../fuzz/src/service.js';
import { type LoadOptions, limitMs, paceMs } from './http-load.js';
import { outcomeOf } from './tally.js';

const judge = createRpcJudge([]);
const modernVersion = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
};
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } };

/** Sends one request and gives its answer. Rejects where there is none in time. */
type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<RpcMessage>;

/** One action of any MCP client. */
async function act(face: string, ask: Ask, random: Random, { servers, keys, tally }: LoadOptions): Promise<void> {
  const server = servers[random.between(0, servers.length - 1)];
  const call = async (name: string, args: object): Promise<RpcMessage> => {
    const answer = await ask('tools/call', { name, arguments: args });
    const { structuredContent } = (answer.result ?? {}) as { readonly structuredContent?: unknown };
    return { ...answer, params: structuredContent };
  };
  const one = async (): Promise<RpcMessage> => {
    const drawn = random.next();
    if (drawn < 0.5) {
      const { key, ...rest } = keys.next(random);
      const answer = await call('capability_call', { ...rest, idempotency_key: key });
      if (answer.params !== undefined) tally.answered(key, answer.params);
      return answer;
    }
    if (drawn < 0.6) return call('capability_search', { query: 'count', limit: 5 });
    if (drawn < 0.7) return call('capabilities_list', {});
    if (drawn < 0.75) return call('resource_read', { resource_id: `${server}.soak://state` });
    if (drawn < 0.8) return ask('resources/read', { uri: `portico://${server}/soak://state` });
    if (drawn < 0.85) return ask('prompts/get', { name: `${server}__say`, arguments: { what: 'x' } });
    if (drawn < 0.9) return ask('tools/list');
    if (drawn < 0.95) return call('plain_of_a', { text: 'x' });
    return call('capability_call', { capability_id: `${server}.gated`, args: { key: 'gated', ms: 0 } });
  };
  const askedAt = performance.now();
  try {
    const answer = await one();
    tally.took(performance.now() - askedAt);
    for (const problem of judge.problemsOf({ ...answer, params: undefined })) tally.problem(`${face}: ${problem}`);
    tally.count(face, outcomeOf(answer));
  } catch (error) {
    tally.count(face, 'no answer');
    tally.problem(`${face}: ${error}`);
  }
}

export async function loadOverMcpHttp(mcpUrl: string, era: 'legacy' | 'modern', options: LoadOptions): Promise<void> {
  const { origin } = new URL(mcpUrl);
  const face = `mcp http ${era}`;
  const random = createRandom(options.seed, face);
  let session: string | undefined;
  let id = 0;
  const send = async (message: object, headers: Readonly<Record<string, string>>) => {
    const answer = await sendCase(
      origin,
      { method: 'POST', target: '/mcp', headers: { ...json, ...headers }, body: JSON.stringify(message) },
      limitMs,
    );
    if (answer.status >= 500) throw new Error(`status ${answer.status}: ${answer.text}`);
    return answer;
  };
  const sessionHeader = () => (session === undefined ? {} : { 'mcp-session-id': session });
  const ask: Ask = async (method, params = {}) => {
    id += 1;
    const name = params.name ?? params.uri;
    const ofModern = {
      'mcp-protocol-version': modernVersion,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    };
    const message = { jsonrpc: '2.0', id, method, params: era === 'modern' ? { ...params, _meta } : params };
    const { text, contentType, headers } = await send(message, era === 'modern' ? ofModern : sessionHeader());
    const given = headers['mcp-session-id'];
    if (typeof given === 'string') session = given;
    const texts =
      contentType === 'text/event-stream' ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, data = '']) => data) : [text];
    const answer = texts
      .map((one) => JSON.parse(one) as RpcMessage)
      .find((one) => one.id === id && one.method === undefined);
    if (answer === undefined) throw new Error(`no answer to ${method}: ${text.slice(0, 200)}`);
    return answer;
  };
  let left = 0;
  while (!options.signal.aborted) {
    if (era === 'legacy' && left === 0) {
      // Sessions come and go; some are left behind, as clients do.
      if (session !== undefined && random.chance(0.7))
        await sendCase(origin, { method: 'DELETE', target: '/mcp', headers: { ...json, ...sessionHeader() } }, limitMs);
      session = undefined;
      await ask('initialize', hello);
      await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, sessionHeader());
      left = random.between(50, 200);
    }
    left -= 1;
    await act(face, ask, random, options);
    await sleep(paceMs);
  }
  if (session !== undefined)
    await sendCase(origin, { method: 'DELETE', target: '/mcp', headers: { ...json, ...sessionHeader() } }, limitMs);
}

/** Each process serves a while and is then ended, mildly or not; what it left under way must not stay in the daemon. */
export async function loadOverStdio(scope: Scope, service: Service, options: LoadOptions): Promise<void> {
  const random = createRandom(options.seed, 'stdio');
  while (!options.signal.aborted) {
    const pipe = openPipe(scope, service);
    try {
      await pipe.ask('initialize', hello);
      pipe.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const turns = random.between(100, 400);
      for (let turn = 0; turn < turns && !options.signal.aborted; turn += 1) {
        // Several at a time: one pipe carries them all.
        await Promise.all(
          Array.from({ length: random.between(1, 3) }, () => act('mcp stdio', pipe.ask, random, options)),
        );
        await sleep(paceMs);
      }
      if (random.chance(0.5))
        for (let n = 0; n < 3; n += 1)
          pipe
            .ask('tools/call', {
              name: 'capability_call',
              arguments: { capability_id: 'a.count', args: { key: 'left', ms: 300 } },
            })
            .catch(() => {});
    } catch (error) {
      options.tally.problem(`mcp stdio: ${error}`);
    }
    const code = await pipe.end(random.chance(0.5) ? 'SIGKILL' : 'end of input');
    if (code !== 0 && code !== null)
      options.tally.problem(`mcp stdio: the process ended with ${code}: ${pipe.stderr()}`);
  }
}

function openPipe(scope: Scope, service: Service) {
  scope.throwIfStopped();
  const child = spawn(
    process.execPath,
    [mcpStdioMain, '--config', service.configFile, '--state-dir', service.stateDir],
    { env: service.env },
  );
  const exited = once(child, 'close').then(([code]) => code as number | null);
  scope.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const waiting = new Map<unknown, (message: RpcMessage) => void>();
  let rest = '';
  let stderr = '';
  let id = 0;
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as RpcMessage;
      if (message.method === undefined) waiting.get(message.id)?.(message);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-2000);
  });
  const write = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask: Ask = (method, params = {}) => {
    id += 1;
    const own = id;
    const answered = new Promise<RpcMessage>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no answer to ${method} within ${limitMs} ms: ${stderr}`)),
        limitMs,
      );
      const finish = () => {
        clearTimeout(timer);
        waiting.delete(own);
      };
      waiting.set(own, (message) => {
        finish();
        resolve(message);
      });
      void exited.then(() => {
        finish();
        reject(new Error(`the process ended before it answered ${method}`));
      });
    });
    write({ jsonrpc: '2.0', id: own, method, params });
    return answered;
  };
  return {
    ask,
    write,
    stderr: () => stderr,
    async end(how: 'SIGKILL' | 'end of input'): Promise<number | null> {
      if (how === 'SIGKILL') child.kill('SIGKILL');
      else child.stdin.end();
      const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const code = await exited;
      clearTimeout(force);
      return code;
    },
  };
}
