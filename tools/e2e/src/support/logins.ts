// A server that wants OAuth logins, and the person who follows the links to them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onCleanup } from './cleanup.js';
import { startHttpFixture } from './upstreams.js';

const loginServerPath = fileURLToPath(new URL('./login-server.mjs', import.meta.url));

export interface Seen {
  /** The grant types of the token requests, with the error of those that failed. */
  readonly tokenRequests: readonly string[];
  /** The parameters of every login page that was opened. */
  readonly logins: readonly Readonly<Record<string, string>>[];
}

export interface LoginServer {
  /** Address of the MCP server behind the gate. */
  readonly url: string;
  readonly issuer: string;
  /** Changes how it behaves, as login-server.mjs says; gives what it saw so far. */
  control(change?: object): Promise<Seen>;
}

/** A real MCP server behind a gate, and the real authorization server that the gate trusts. */
export async function startLoginServer(...flags: readonly string[]): Promise<LoginServer> {
  const target = await startHttpFixture(...flags);
  const child = spawn(process.execPath, [loginServerPath, target.origin], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  onCleanup(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const [authPort, gatePort] = await new Promise<[string, string]>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      const ports = /listening on (\d+) (\d+)/.exec(String(text));
      if (ports?.[1] !== undefined && ports[2] !== undefined) resolve([ports[1], ports[2]]);
    });
    child.on('exit', () => reject(new Error('the login server did not start')));
  });
  const origin = `http://127.0.0.1:${gatePort}`;
  return {
    url: `${origin}/mcp`,
    issuer: `http://127.0.0.1:${authPort}`,
    async control(change = {}) {
      const response = await fetch(`${origin}/control`, { method: 'POST', body: JSON.stringify(change) });
      return (await response.json()) as Seen; // the script writes that
    },
  };
}

export interface Page {
  readonly status: number;
  readonly text: string;
  /** The address it was found at. */
  readonly url: string;
}

/** Where a link leads to: a client that has to be registered is when a person opens the link. */
export async function authorizationUrl(link: string): Promise<URL> {
  const { headers } = await fetch(link, { redirect: 'manual' });
  return new URL(headers.get('location') ?? link);
}

/** Opens a link as a browser does: with cookies, and through all redirects. */
export async function openInBrowser(link: string): Promise<Page> {
  const cookies = new Map<string, string>();
  let url = link;
  for (let hops = 0; hops < 20; hops += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return { status: response.status, text: await response.text(), url };
    url = new URL(location, url).href;
  }
  throw new Error('redirected without end');
}
