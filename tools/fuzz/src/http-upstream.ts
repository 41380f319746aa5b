// The raw HTTP fixture as a process of its own, for tools that run outside of vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { httpUpstreamPath } from '@portico-tools/fixtures/paths';
import type { Scope } from '../../faults/src/scope.js';

export interface HttpUpstream {
  readonly url: string;
}

export async function startHttpUpstream(scope: Scope, ...flags: readonly string[]): Promise<HttpUpstream> {
  scope.throwIfStopped();
  const child = spawn(process.execPath, [httpUpstreamPath, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  scope.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [line] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${/listening on (\d+)/.exec(String(line))?.[1]}/mcp` };
}
