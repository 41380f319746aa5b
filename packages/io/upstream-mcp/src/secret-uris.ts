// Refuses secret URIs, which this version cannot look up: handing `op://…` to a server as if it were the secret
// would fail later and leak the name of the secret. Messages name the scheme and the field, never the value.
import type { ServerConfig } from '@portico/contracts';
import { unreachable } from './failures.js';

const secretScheme = /^(env|op|keychain):\/\//;

/** @throws UpstreamFailure when a field that may hold a secret holds a secret URI. */
export function refuseSecretUris({ transport }: ServerConfig): void {
  if (transport.kind === 'stdio') {
    refuse('env', transport.env);
    return;
  }
  refuse('headers', transport.headers);
  refuse('auth', transport.auth ?? {});
}

function refuse(field: string, values: object): void {
  for (const [name, value] of Object.entries(values)) {
    const scheme = typeof value === 'string' ? secretScheme.exec(value)?.[1] : undefined;
    if (scheme !== undefined) {
      throw unreachable(`${field}.${name} holds a secret URI (${scheme}://), which this version cannot resolve`, false);
    }
  }
}
