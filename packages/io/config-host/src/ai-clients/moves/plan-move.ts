// Plans which servers of a client's file can be moved behind Portico, under which ids, and why not the others. A pure
// function.
import {
  type DirectServer,
  isJsonObject,
  isSecretName,
  type JsonObject,
  maskSecrets,
  secretScheme,
} from '@portico/contracts';
import type { ConfiguredServers, LeftServer, MovableServer } from '@portico/control-plane';
import type { ClientKind } from '../client.js';
import { findServers, type ServerInFile } from '../find-servers.js';
import { importId } from '../server-id.js';
import { lostFields, restrictingFields } from './lost-fields.js';
import { behindAs, sameAs } from './same-server.js';

export interface MovePlanned {
  readonly servers: readonly MovableServer[];
  readonly left: readonly LeftServer[];
}

/** Servers of a file that the client itself starts or reaches, Portico excepted. @throws FormatProblem */
export function directServers(kind: ClientKind, text: string, configured: ConfiguredServers): DirectServer[] {
  return findServers(kind, text)
    .filter((server) => !server.isOwn && !isOff(server))
    .map(({ name, read }) => {
      if (read.kind === 'unusable') return { name, behind_as: null, problem: read.reason };
      return { name, behind_as: behindAs(read.definition, configured, name), problem: null };
    });
}

/**
 * @param names null for all that can be moved without giving agents more tools than the client does
 * @throws FormatProblem
 */
export function planMove(
  kind: ClientKind,
  text: string,
  names: readonly string[] | null,
  configured: ConfiguredServers,
): MovePlanned {
  const all = findServers(kind, text);
  const chosen = names === null ? all.filter(({ isOwn }) => !isOwn) : all.filter(({ name }) => names.includes(name));
  const servers: MovableServer[] = [];
  const left: LeftServer[] = [];
  for (const server of chosen) {
    const reason = reasonToLeave(server) ?? (names === null ? reasonToAsk(kind, server) : null);
    const planned = reason === null ? place(kind, text, server, servers, configured) : { name: server.name, reason };
    if ('reason' in planned) left.push(planned);
    else servers.push(planned);
  }
  return { servers, left };
}

function reasonToLeave({ isOwn, read }: ServerInFile): string | null {
  if (isOwn) return 'is Portico itself';
  return read.kind === 'unusable' ? read.reason : null;
}

/** Why a server is moved only where it is named. */
function reasonToAsk({ id, name: client }: ClientKind, { name, raw }: ServerInFile): string | null {
  const fields = restrictingFields(raw);
  if (fields.length === 0) return null;
  const next = `write a policy rule for its tools, then name it: portico clients move ${id} ${JSON.stringify(name)}`;
  return `${client} restricts its tools by ${fields.join(', ')}, which Portico has no equivalent of; ${next}`;
}

/** Only in the sense of the reader: it has no other reason that says so. */
function isOff({ raw }: ServerInFile): boolean {
  return isJsonObject(raw) && (raw.disabled === true || raw.enabled === false);
}

function place(
  kind: ClientKind,
  text: string,
  { name, path, raw, read }: ServerInFile,
  planned: readonly MovableServer[],
  configured: ConfiguredServers,
): MovableServer | LeftServer {
  const definition = read.kind === 'usable' ? read.definition : {};
  const plannedNow = Object.fromEntries(planned.map((server) => [server.server_id, server.definition]));
  const id = importId(name, new Set());
  const known = sameAs(definition, { ...configured, ...plannedNow }, id);
  if (known === null && (Object.hasOwn(configured, id) || Object.hasOwn(plannedNow, id))) {
    return { name, reason: takenBy(kind, id, Object.hasOwn(configured, id)) };
  }
  const root = kind.format.parse(text);
  const flag = kind.offFlag(root);
  return {
    name,
    server_id: known ?? id,
    is_new: known === null,
    definition,
    entry: { path, raw },
    line: kind.format.lineOf(text, path, name),
    switched_off_by: flag === null ? 'removed' : `${flag.field}: ${flag.value}`,
    scope: path[0] === 'projects' ? (path[1] ?? null) : null,
    lost_fields: lostFields(kind.fields, raw),
    plain_secrets: plainSecrets(definition),
  };
}

function takenBy({ name: client }: ClientKind, id: string, isConfigured: boolean): string {
  const whose = isConfigured ? 'Portico has' : `${client} has`;
  return `${whose} another server "${id}", whose command, address, folder, env, headers or credentials differ; rename one of the two, then move it`;
}

/** Variables, headers and other fields that hold a secret as it is, by their names. */
export function plainSecrets(definition: JsonObject): readonly string[] {
  const inMaps = (['env', 'headers'] as const).flatMap((field) => {
    const map = definition[field];
    const names = isJsonObject(map) ? Object.keys(map).filter((name) => isPlainSecret(name, map[name])) : [];
    return names.map((name) => `${field}.${name}`);
  });
  const masked = maskSecrets(definition);
  const others = ['args', 'url', 'auth'].filter(
    (field) => JSON.stringify(masked[field]) !== JSON.stringify(definition[field]),
  );
  return [...inMaps, ...others];
}

/** Values such as `postgres://me:secret@host` are secrets under any name. */
function isPlainSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || secretScheme(value) !== undefined) return false;
  return isSecretName(name) || maskSecrets({ url: value }).url !== value;
}
