// Lines against the stdio process that has joined the daemon, in both eras. Every request in a run is answered, and the
// process still answers a ping behind it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import type { Scope } from '../../../faults/src/scope.js';
import { type Ran, type RunOptions, runProperty } from '../finding.js';
import { limitMs } from '../fuzz-http.js';
import { mcpStdioMain } from '../service.js';
import type { World } from '../world.js';
import { type Era, type Frame, frames, type ListedTool } from './frames.js';
import { createRpcJudge, type RpcMessage } from './judge.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
};

export async function fuzzStdio(
  scope: Scope,
  world: World,
  era: Era,
  { seed, runs }: RunOptions,
): Promise<Ran & { readonly what: string }> {
  const pipe = openPipe(scope, world);
  const listed = await pipe.open(era);
  const judge = createRpcJudge(listed);
  const what = `mcp over stdio, ${era}`;
  let count = 0;
  const problemOf = async (run: readonly Frame[]): Promise<string | undefined> => {
    count += 1;
    pipe.forget();
    const sentinel = `sentinel-${count}`;
    for (const { text } of run) pipe.write(text);
    pipe.write(
      JSON.stringify({
        jsonrpc: '2.0',
        id: sentinel,
        ...(era === 'legacy' ? { method: 'ping' } : { method: 'server/discover', params: { _meta } }),
      }),
    );
    const owed = new Set([sentinel, ...owedIds(run)]);
    const missing = await pipe.answersTo(owed);
    const messages = pipe.messages();
    if (messages === undefined)
      return `a line that is no JSON: ${pipe
        .lines()
        .find((line) => !isJson(line))
        ?.slice(0, 200)}`;
    if (missing.length > 0) return `no answer to ${JSON.stringify(missing).slice(0, 200)} within ${limitMs} ms`;
    const problems = messages.flatMap((message) => judge.problemsOf(message));
    return problems[0];
  };
  const again = (run: readonly Frame[]) =>
    `lines to node apps/mcp-stdio/dist/main.js:\n${run.map(({ text }) => `  ${text}`).join('\n')}`;
  const cases = fc.array(frames(era, listed, world.hints.body), { minLength: 1, maxLength: 8 });
  const ran = await runProperty(what, cases, problemOf, again, { seed, runs });
  const code = await pipe.close();
  const findings =
    code === 0
      ? ran.findings
      : [...ran.findings, { what, problem: `ended with ${code}: ${pipe.stderr()}`, again: '', seed: String(seed) }];
  return { what, cases: ran.cases, findings };
}

/** No answer is expected to a cancelled one, nor to a subscription. */
function owedIds(run: readonly Frame[]): readonly (string | number)[] {
  const cancelled = run.filter(({ text }) => text.includes('notifications/cancelled')).map(({ text }) => text);
  return run.flatMap(({ owedId, method }) =>
    owedId === undefined ||
    method === 'subscriptions/listen' ||
    cancelled.some((text) => text.includes(JSON.stringify(owedId)))
      ? []
      : [owedId],
  );
}

function openPipe(scope: Scope, { service }: World) {
  scope.throwIfStopped();
  const args = [mcpStdioMain, '--config', service.configFile, '--state-dir', service.stateDir];
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, args, { env: service.env });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  scope.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  child.stdin.on('error', () => {}); // it may have ended, which is reported where an answer is missing
  let lines: string[] = [];
  let rest = '';
  let stderr = '';
  let onLine = () => {};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    onLine();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4000);
  });
  const messages = () => (lines.every(isJson) ? lines.map((line) => JSON.parse(line) as RpcMessage) : undefined);
  const answersTo = async (owed: ReadonlySet<string | number>): Promise<readonly (string | number)[]> => {
    const missing = () => {
      const answered = new Set((messages() ?? []).filter(({ method }) => method === undefined).map(({ id }) => id));
      return [...owed].filter((id) => !answered.has(id));
    };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      onLine = () => {
        if (messages() !== undefined && missing().length > 0) return;
        clearTimeout(timer);
        resolve();
      };
      onLine();
      void exited.then(() => resolve());
    });
    onLine = () => {};
    return missing();
  };
  const write = (line: string) => child.stdin.write(`${line}\n`);
  return {
    write,
    messages,
    answersTo,
    lines: () => lines,
    stderr: () => stderr,
    forget() {
      lines = [];
    },
    /** @throws Error when it does not answer */
    async open(era: Era): Promise<readonly ListedTool[]> {
      if (era === 'legacy') {
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
        write(JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }));
        await answersTo(new Set(['hello']));
        write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      }
      write(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 'tools',
          method: 'tools/list',
          params: era === 'legacy' ? {} : { _meta },
        }),
      );
      await answersTo(new Set(['tools']));
      const answer = messages()?.find(({ id }) => id === 'tools');
      if (answer === undefined) throw new Error(`the stdio process does not answer: ${stderr}`);
      return (answer.result as { readonly tools: readonly ListedTool[] }).tools;
    },
    /** Ends its input, and gives the exit code. */
    async close(): Promise<number | null> {
      child.stdin.end();
      const force = setTimeout(() => child.kill('SIGKILL'), limitMs);
      const code = await exited;
      clearTimeout(force);
      return code;
    },
  };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
