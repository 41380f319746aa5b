// The parts of undici that are used: its HTTP/1.1 client for one socket, the function that opens sockets, and the pool of
// sockets for `fetch`. Loading them takes 16 ms, and the whole of undici 50 ms and 8 MB, so they are loaded by the first
// request, from the files they are in. These are no public paths: the version in package.json is exact.
import { createRequire } from 'node:module';
import type * as Undici from 'undici';

export interface HttpLibrary {
  readonly Client: typeof Undici.Client;
  readonly buildConnector: typeof Undici.buildConnector;
}

let loaded: HttpLibrary | undefined;
let agent: typeof Undici.Agent | undefined;

/** Loads the two modules of undici that connections need, once. */
export function loadUndici(): HttpLibrary {
  const require = createRequire(import.meta.url);
  loaded ??= {
    Client: require('undici/lib/dispatcher/client.js'),
    buildConnector: require('undici/lib/core/connect.js'),
  };
  return loaded;
}

export function loadAgent(): typeof Undici.Agent {
  agent ??= createRequire(import.meta.url)('undici/lib/dispatcher/agent.js') as typeof Undici.Agent; // its only export
  return agent;
}
