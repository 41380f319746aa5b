// Starts the programs that are measured and ends them again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Running {
  readonly port: number;
  /** Port of the MCP listener, where the program has one. */
  readonly mcpPort?: number;
  /** From its start to the line with its port. */
  readonly readyMs: number;
  readonly stop: () => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** Runs a Node program until it prints a line with its port. @param hasMcp whether it prints one more, of its MCP listener */
export async function startServer(args: readonly string[], hasMcp = false): Promise<Running> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => end(child);
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  let first: Running | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /(?::|on )(\d+)(?:\/mcp)?$/.exec(line)?.[1];
    if (port === undefined) continue;
    if (first !== undefined) return { ...first, mcpPort: Number(port) };
    first = { port: Number(port), readyMs: performance.now() - startedAt, stop, signal };
    if (!hasMcp) return first;
  }
  throw new Error(`${args.join(' ')} ended before it listened`);
}

export interface DirectUpstream {
  /** One `tools/call` over the pipe and back. */
  readonly call: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A stdio MCP server with nothing between: the least a call to it can cost. */
export async function startDirect(file: string, tool: string): Promise<DirectUpstream> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, () => void>();
  let nextId = 1;
  createInterface({ input: child.stdout }).on('line', (line) => waiting.get(JSON.parse(line).id)?.());
  const request = (method: string, params: object) =>
    new Promise<void>((resolve) => {
      const id = nextId++;
      waiting.set(id, () => {
        waiting.delete(id);
        resolve();
      });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '0' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return { call: () => request('tools/call', { name: tool, arguments: {} }), stop: () => end(child) };
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
