// The server of a call, as it is at each moment: another may take its place while the call runs.
import type { Upstream, UpstreamPool } from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import type { Target } from '../../call/target.js';

type Pool = Pick<UpstreamPool, 'get'>;

/** @throws CallFailure SERVER_UNREACHABLE between its configuration and its mount, or at the end of the service */
export function upstreamOf(pool: Pool, { server }: Target): Upstream {
  return pool.get(server) ?? failNotRunning(server);
}

/** @throws CallFailure SERVER_UNREACHABLE */
export function failNotRunning(server: string): never {
  throw new CallFailure('SERVER_UNREACHABLE', notRunning(server));
}

export class ServerOfTarget implements Pick<Upstream, 'dispatch' | 'hold'> {
  readonly #pool: Pool;
  readonly #id: string;

  constructor(pool: Pool, { server }: Target) {
    this.#pool = pool;
    this.#id = server;
  }

  dispatch(...[request, deadline, handler, settle]: Parameters<Upstream['dispatch']>): void {
    const upstream = this.#pool.get(this.#id);
    if (upstream !== undefined) upstream.dispatch(request, deadline, handler, settle);
    else settle.resolve({ kind: 'unreachable', reason: notRunning(this.#id), sent: false });
  }

  /** Keeps the server, while it is configured, from being stopped as unused. */
  hold(): () => void {
    return this.#pool.get(this.#id)?.hold() ?? (() => {});
  }
}

function notRunning(server: string): string {
  return `server "${server}" is not running`;
}
