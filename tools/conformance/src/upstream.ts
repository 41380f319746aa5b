// The fixture that serves what the suite's server scenarios ask for, as a process, and what it lists.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { conformanceUpstreamPath } from '@portico-tools/fixtures/paths';

export interface Upstream {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const child = spawn(process.execPath, [conformanceUpstreamPath, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    exited.then(([code]) => {
      throw new Error(`the conformance upstream ended with ${code}`);
    }),
  ]);
  return {
    url: /listening on (\S+)/.exec(String(line))?.[1] ?? '',
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** The names of the tools or prompts that an upstream of 2026-07-28 lists on one page. */
export async function listNames(url: string, what: 'tools' | 'prompts'): Promise<readonly string[]> {
  const version = '2026-07-28';
  const method = `${what}/list`;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
  });
  const { result } = (await answer.json()) as Listing; // our own fixture
  return result[what].map(({ name }) => name);
}

interface Listing {
  readonly result: Readonly<Record<'tools' | 'prompts', readonly { readonly name: string }[]>>;
}
