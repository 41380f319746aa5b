// The parts of undici that are used: its HTTP/1.1 client for one socket, and the function that opens sockets. Loading
// them takes 16 ms, and the whole of undici 50 ms and 8 MB, so they are loaded by the first HTTP upstream, from the two
// files they are in. These are no public paths: the version in package.json is exact.
import { createRequire } from 'node:module';
import type * as Undici from 'undici';

export interface HttpLibrary {
  readonly Client: typeof Undici.Client;
  readonly buildConnector: typeof Undici.buildConnector;
}

let loaded: HttpLibrary | undefined;

export function loadUndici(): HttpLibrary {
  loaded ??= load(createRequire(import.meta.url));
  return loaded;
}

function load(require: NodeJS.Require): HttpLibrary {
  return {
    Client: require('undici/lib/dispatcher/client.js'),
    buildConnector: require('undici/lib/core/connect.js'),
  };
}
