// Portico as a scenario uses it: one upstream, reached over `/v1`, and a person who follows every link to log in.
import { setTimeout as sleep } from 'node:timers/promises';
import { startPortico } from '../portico.js';
import { serverId } from './config.js';

/** More than the minute after which Portico itself gives an attempt up: reached only where it hangs. */
const hangMs = 70_000;
/** How long an upstream is tried again after a failed attempt that no link to log in followed. */
const refusalMs = 4_000;
const linkMs = 1_000;
const pollMs = 25;
/** A person gives up at some point; that a client gives up much earlier is what `auth/scope-retry-limit` measures. */
const maxLogins = 10;

/** An envelope of `/v1`, as far as a scenario looks at it. */
export interface Answer {
  readonly ok: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Item {
  readonly id: string;
  readonly tool?: string;
  readonly uri?: string;
  readonly name?: string;
}

export interface Plane {
  /** Waits until the upstream is connected, logging in where that is asked for. @throws when it never is */
  connect(): Promise<void>;
  /** Waits for the link to log in, and gives the page of the authorization server that it leads to, not opened. @throws when there is none */
  loginUrl(): Promise<URL>;
  /** Waits until it is plain that the upstream stays away, logging in where that is asked for. @throws when it connects */
  refuse(): Promise<void>;
  list(what: 'capabilities' | 'resources' | 'prompts'): Promise<readonly Item[]>;
  describe(tool: string): Promise<Readonly<Record<string, unknown>>>;
  /** Calls a tool of the upstream; logs in and calls again when the upstream wants that. */
  call(tool: string, args?: object, rest?: object): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
  log(): string;
  close(): Promise<void>;
}

interface Server {
  readonly id: string;
  readonly status: string;
  readonly login_url?: string;
  readonly last_error?: string;
}

interface Described {
  readonly capability: Readonly<Record<string, unknown>>;
}

export async function openPlane(config: object): Promise<Plane> {
  const portico = await startPortico(config);
  const followed = new Set<string>();
  /** The caller says what the body is; a scenario that gets another fails. */
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${portico.url}${path}`)).json()) as T;
  const server = async () => (await get<{ readonly servers: readonly [Server] }>('/v1/servers')).servers[0];

  /** Does what a person at a browser does; the pages redirect to Portico's own callback. */
  async function logIn({ login_url: url }: Server): Promise<boolean> {
    if (url === undefined || followed.has(url) || followed.size >= maxLogins) return false;
    followed.add(url);
    await fetch(url, { redirect: 'follow' }).then((page) => page.text());
    return true;
  }

  /** After a refused call: the link comes with the refusal or at once after it. */
  async function isAskedToLogIn(): Promise<boolean> {
    for (const until = Date.now() + linkMs; Date.now() < until; await sleep(pollMs)) {
      if (await logIn(await server())) return true;
    }
    return false;
  }

  /** Waits for the end of the first attempt, however long it takes, and for those that follow a login or a failure. */
  async function isConnected(): Promise<boolean> {
    const hangs = Date.now() + hangMs;
    let failedSince: number | undefined;
    for (; Date.now() < hangs; await sleep(pollMs)) {
      const now = await server();
      if (now.status === 'connected') return true;
      if (await logIn(now)) failedSince = undefined;
      else if (now.status !== 'connecting') failedSince ??= Date.now();
      if (failedSince !== undefined && Date.now() - failedSince >= refusalMs) return false;
    }
    return false;
  }

  async function connect(): Promise<void> {
    if (await isConnected()) return;
    throw new Error(`the upstream did not connect: ${JSON.stringify(await server())}`);
  }

  async function post(path: string, body: object): Promise<Answer> {
    const answer = await fetch(`${portico.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Answer; // an envelope, success or error
  }

  return {
    connect,
    async loginUrl() {
      for (const until = Date.now() + hangMs; Date.now() < until; await sleep(pollMs)) {
        const { login_url: url } = await server();
        if (url !== undefined)
          return new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? url);
      }
      throw new Error(`the upstream wants no login: ${JSON.stringify(await server())}`);
    },
    async refuse() {
      if (await isConnected()) throw new Error('the upstream connected, although it is not to be trusted');
    },
    list: async (what) => (await get<Readonly<Record<typeof what, readonly Item[]>>>(`/v1/${what}`))[what],
    describe: async (tool) => (await get<Described>(`/v1/capabilities/${serverId}.${tool}`)).capability,
    async call(tool, args = {}, rest = {}) {
      const request = { capability_id: `${serverId}.${tool}`, args, ...rest };
      let answer = await post('/v1/tools/call', request);
      while (!answer.ok && (await isAskedToLogIn())) {
        if (!(await isConnected())) break;
        answer = await post('/v1/tools/call', request);
      }
      return answer;
    },
    post,
    log: portico.log,
    close: portico.stop,
  };
}
