// The effect of a new configuration on the servers: unchanged ones keep their processes and sessions.
import { digestOf } from '@portico/canonical-json';
import {
  allClientCapabilities,
  type Config,
  type ServerChanges,
  type ServerConfig,
  type StdioServer,
} from '@portico/contracts';

type Servers = Config['servers'];

/** Ids, sorted. */
export function serverChanges(before: Servers, after: Servers): ServerChanges {
  const kept = [...after.keys()].filter((id) => before.has(id)).sort();
  const isUpdated = (id: string) => digestOf({ ...before.get(id) }) !== digestOf({ ...after.get(id) });
  return {
    mounted: [...after.keys()].filter((id) => !before.has(id)).sort(),
    unmounted: [...before.keys()].filter((id) => !after.has(id)).sort(),
    updated: kept.filter(isUpdated),
    unchanged: kept.filter((id) => !isUpdated(id)),
  };
}

/**
 * Digest of the configuration that the definitions of a server depend on: its program with the names of its variables,
 * or its address with the names of its headers, and the declared capabilities: some servers list tools by them. Values
 * may be secrets, and secrets may be renewed.
 */
export function definitionsFingerprint({ transport, clientCapabilities }: ServerConfig): string {
  const declared = clientCapabilities === undefined ? {} : { clientCapabilities };
  if (transport.kind === 'stdio') {
    const { kind, command, args, env } = transport;
    return digestOf({
      kind,
      command,
      args: [...args],
      env: Object.keys(env).sort(),
      ...placeOf(transport),
      ...declared,
    });
  }
  const { kind, url, protocolVersion, headers } = transport;
  return digestOf({ kind, url, protocolVersion, headers: Object.keys(headers).sort(), ...declared });
}

/**
 * The program of a server, as the lock knows it: the same on every machine that the configuration is used on. Folders and
 * files are left out, and values of variables and headers, which may be secrets.
 */
export function programDigest({ transport }: ServerConfig): string {
  if (transport.kind === 'http') {
    return digestOf({ kind: 'http', url: transport.url, headers: Object.keys(transport.headers).sort() });
  }
  const { command, args, env } = transport;
  return digestOf({ kind: 'stdio', command, args: [...args], env: Object.keys(env).sort() });
}

/** Where it runs and which file it has variables from; empty if neither is configured. */
function placeOf({ cwd, envFile }: StdioServer): { readonly cwd?: string; readonly envFile?: string } {
  return { ...(cwd === undefined ? {} : { cwd }), ...(envFile === undefined ? {} : { envFile }) };
}

/** Whether only the lifecycles of two differ: the session of one serves the other. */
export function isSameButLifecycle(a: ServerConfig, b: ServerConfig): boolean {
  const rest = ({ transport, resilience, clientCapabilities }: ServerConfig) =>
    digestOf({ transport, resilience, ...(clientCapabilities === undefined ? {} : { clientCapabilities }) });
  return rest(a) === rest(b);
}

/** Whether the definitions that were read of one are those of the other: only its secrets or its resilience differ. */
export function isSameProgram(before: ServerConfig, after: ServerConfig): boolean {
  const { transport: a, clientCapabilities: declared = allClientCapabilities } = before;
  const { transport: b, clientCapabilities: declaredNow = allClientCapabilities } = after;
  if (digestOf(declared) !== digestOf(declaredNow)) return false;
  if (a.kind === 'stdio' && b.kind === 'stdio')
    return (
      a.command === b.command &&
      a.args.join('\0') === b.args.join('\0') &&
      digestOf(placeOf(a)) === digestOf(placeOf(b))
    );
  return a.kind === 'http' && b.kind === 'http' && a.url === b.url;
}
