// `fetch` whose sockets are opened to addresses that a guard admits, those of redirects included. No proxy of the
// environment is used.
import type { Agent } from 'undici';
import { type ConnectOptions, createConnect } from './connect.js';
import { destinationOf, type EgressGuard } from './guard.js';
import { loadAgent } from './undici.js';

const connectTimeoutMs = 10_000;

export function createFetch(guard: EgressGuard, { lookup }: Pick<ConnectOptions, 'lookup'> = {}): typeof fetch {
  let agent: Agent | undefined;
  const open = (): Agent => {
    const Agent = loadAgent();
    return new Agent({
      connect(options, done) {
        const host = options.hostname.includes(':')
          ? `[${options.hostname.replace(/^\[|\]$/g, '')}]`
          : options.hostname;
        const port = options.port === '' ? '' : `:${options.port}`;
        const destination = destinationOf(new URL(`${options.protocol}//${host}${port}`));
        createConnect(guard, destination, { lookup, timeout: connectTimeoutMs })(options, done);
      },
    });
  };
  return (input, init) => {
    agent ??= open();
    // Node's types describe the undici that it brings with it, which takes dispatchers of this one too.
    return fetch(input, { ...init, dispatcher: agent as unknown as NonNullable<RequestInit['dispatcher']> });
  };
}
