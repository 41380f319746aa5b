// Requests of a test to a daemon, in this process or another.
import { expect } from 'vitest';
import { type Reply, type RequestOptions, send } from './client.js';
import { eventually } from './wait.js';
import type { Envelope, List, ListName, Search, ServerInfo } from './wire.js';

export interface DaemonClient {
  readonly url: string;
  readonly port: number;
  send<T>(path: string, options?: RequestOptions): Promise<Reply<T>>;
  get<T>(path: string, headers?: RequestOptions['headers']): Promise<Reply<T>>;
  /** A string is sent as it is, anything else as JSON. */
  post<T>(path: string, body: unknown, headers?: RequestOptions['headers'], signal?: AbortSignal): Promise<Reply<T>>;
  list(name: ListName, headers?: RequestOptions['headers']): Promise<Reply<List>>;
  ids(name: ListName): Promise<readonly string[]>;
  search(body: object): Promise<Reply<Search>>;
  call<D = Envelope['data']>(id: string, args?: object, rest?: object): Promise<Reply<Envelope<D>>>;
  server(id: string): Promise<ServerInfo>;
  /** Waits until every one of these servers is connected; all of them without arguments. */
  connected(...ids: readonly string[]): Promise<void>;
}

/** @param url as the daemon gives it; one that is bound to every address is asked at the one that every machine has */
export function createDaemonClient(url: string): DaemonClient {
  const base = url.replace('0.0.0.0', '127.0.0.1');
  const sendTo = <T>(path: string, request?: RequestOptions) => send<T>(`${base}${path}`, request);
  const get = <T>(path: string, headers = {}) => sendTo<T>(path, { headers });
  const post = <T>(path: string, body: unknown, headers = {}, signal?: AbortSignal) =>
    sendTo<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  const servers = async () => (await get<{ readonly servers: readonly ServerInfo[] }>('/v1/servers')).body.servers;
  return {
    url,
    port: Number(new URL(url).port),
    send: sendTo,
    get,
    post,
    list: (name, headers) => get(`/v1/${name}`, headers),
    ids: async (name) => (await get<List>(`/v1/${name}`)).body[name].map(({ id }) => id),
    search: (body) => post('/v1/capabilities/search', body),
    call: (id, args = {}, rest = {}) => post('/v1/tools/call', { capability_id: id, args, ...rest }),
    async server(id) {
      const found = (await servers()).find((server) => server.id === id);
      if (found === undefined) throw new Error(`the daemon has no server ${id}`);
      return found;
    },
    connected: (...ids) =>
      eventually(async () => {
        const listed = await servers();
        const asked = listed.filter(({ id }) => ids.length === 0 || ids.includes(id));
        expect(asked.filter(({ status }) => status !== 'connected')).toEqual([]);
        // A role is shown a server once one of its entries is: before that, the list may lack it.
        const missing = ids.filter((id) => !listed.some((server) => server.id === id));
        expect(missing).toEqual([]);
      }),
  };
}

/** A log or journal of one JSON value a line; an unfinished last line is left out. */
export function parseLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
