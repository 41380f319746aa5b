// The shape that most clients share: `command`, `args`, `env`, or an address with `headers`. Its name differs.
import type { KnownFields } from '../client.js';
import { isRecord } from '../formats/file-format.js';
import { checkedDefinition, type Definition, type ReadDefinition, unusable } from './definition.js';
import { type References, referringFields, resolveMap } from './references.js';

const transports: readonly unknown[] = [undefined, null, 'stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'];

/** Changes how a server is reached, and a server of Portico does not have it. */
const foreignField = 'headersHelper';

const common = ['type', 'transport', 'disabled', 'enabled', 'source'] as const;

export const standardFields: KnownFields = {
  process: [...common, 'command', 'args', 'env', 'cwd', 'envFile'],
  address: [...common, 'url', 'httpUrl', 'serverUrl', 'headers'],
};

export function createStandardReader(references: References): ReadDefinition {
  return (raw) => {
    if (!isRecord(raw)) return unusable('is not an object');
    if (raw.disabled === true || raw.enabled === false) return unusable('is turned off in that client');
    const type = raw.type ?? raw.transport;
    if (!transports.includes(type)) return unusable('has a transport other than stdio and HTTP');
    if (raw[foreignField] != null) return unusable(`has \`${foreignField}\`, which a server of Portico does not have`);
    return readTransport(raw, references);
  };
}

/** Old files of Zed hold the whole command in an object with `path`, `args` and `env`. */
function readTransport(raw: Readonly<Record<string, unknown>>, references: References): Definition {
  const process = isRecord(raw.command) ? { ...raw.command, command: raw.command.path } : raw;
  const url = raw.httpUrl ?? raw.serverUrl ?? raw.url ?? undefined;
  const command = process.command ?? undefined;
  const args = process.args ?? undefined;
  const place = command === undefined ? {} : { cwd: raw.cwd ?? undefined, envFile: raw.envFile ?? undefined };
  return finishDefinition({ command, args, url, ...place }, { env: process.env, headers: raw.headers }, references);
}

/** The settings of a process or an address, and its secrets. */
export function finishDefinition(
  plain: Readonly<Record<'command' | 'args' | 'url', unknown> & Partial<Record<'cwd' | 'envFile', unknown>>>,
  secret: Readonly<Record<'env' | 'headers', unknown>>,
  references: References,
): Definition {
  const { auth, headers } = readBearer(secret.headers, references);
  const isProcess = plain.command !== undefined;
  const secrets = {
    env: isProcess ? resolveMap(references, secret.env) : undefined,
    headers: plain.url === undefined ? undefined : resolveMap(references, headers),
  };
  const referring = [
    ...referringFields(references, plain),
    ...Object.entries(secrets).flatMap(([field, map]) =>
      isRecord(map) ? referringFields(references, map).map((name) => `${field}.${name}`) : [],
    ),
  ];
  if (referring.length > 0) return unusable(`${referring.join(', ')}: refers to what only that client fills in`);
  const { command, args, url, cwd, envFile } = plain;
  return checkedDefinition({
    command,
    args,
    url,
    cwd,
    envFile,
    ...secrets,
    auth: plain.url === undefined ? undefined : auth,
  });
}

/** A bearer token from an environment variable, which Portico takes by the variable's name. */
function readBearer(headers: unknown, references: References): { readonly headers: unknown; readonly auth?: object } {
  if (!isRecord(headers)) return { headers };
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization');
  const [name, value] = found ?? [];
  const reference = typeof value === 'string' ? /^Bearer (\S+)$/i.exec(value)?.[1] : undefined;
  const tokenEnv = reference === undefined ? undefined : references.variable.exec(reference)?.[1];
  if (name === undefined || tokenEnv === undefined) return { headers };
  const others = Object.entries(headers).filter(([key]) => key !== name);
  return {
    headers: others.length === 0 ? undefined : Object.fromEntries(others),
    auth: { type: 'bearer', tokenEnv },
  };
}
