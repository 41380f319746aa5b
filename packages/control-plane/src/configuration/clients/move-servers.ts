// Moves servers of an AI client behind Portico: into the configuration first, then out of the client's file. Where the
// second fails, the first is taken back; once it is done nothing is.
import { type MovedServer, maskSecrets, type ServerInfo, type ServerStatus } from '@portico/contracts';
import type { ConfigAuthor } from '../../audit/change-draft.js';
import {
  AiClientError,
  type AiClients,
  type ClientMovePlan,
  type LeftServer,
  type MovableServer,
} from './ai-clients.js';
import { type ServerPlacement, sayStillPlaced, toStillPlaced } from './server-placement.js';

export interface MoveRequest {
  /** Names in the file of the client; null for all that can be moved. */
  readonly names: readonly string[] | null;
  readonly isDryRun: boolean;
  /** Whether a server that does not connect stays where it is. */
  readonly isChecked: boolean;
}

export interface ClientMoved {
  readonly client: string;
  readonly path: string;
  readonly configPath: string;
  readonly attached: boolean;
  readonly servers: readonly MovedServer[];
  readonly left: readonly LeftServer[];
  readonly backupPath: string | null;
}

export interface MoveDeps {
  readonly aiClients: Pick<AiClients, 'planMove' | 'switchOff'>;
  readonly placement: ServerPlacement;
}

/** Contacts nothing and writes nothing. @throws AiClientError */
export async function planMove(
  { aiClients, placement }: MoveDeps,
  id: string,
  { names }: Pick<MoveRequest, 'names'>,
): Promise<ClientMoved> {
  const plan = await aiClients.planMove(id, names, placement.definitions());
  return outcomeOf(plan, placement, { servers: plan.servers, left: plan.left });
}

/** @throws AiClientError, PorticoError; the configuration and the file of the client are as they were then */
export async function moveServers(
  deps: MoveDeps,
  by: ConfigAuthor,
  id: string,
  request: MoveRequest,
): Promise<ClientMoved> {
  const { aiClients, placement } = deps;
  const plan = await aiClients.planMove(id, request.names, placement.definitions());
  if (plan.notAttached !== null && plan.servers.length > 0) throw refuseToMove(plan, plan.notAttached);
  if (plan.servers.length === 0) return outcomeOf(plan, placement, { servers: [], left: plan.left });
  const added = plan.servers.filter(({ is_new }) => is_new);
  const placed = added.length > 0 ? await placement.add(by, id, added) : undefined;
  const removeAgain = async (servers: readonly MovableServer[]) => {
    if (placed !== undefined && servers.length > 0) await placement.remove(by, id, servers, placed);
  };
  const { moved, failed, seen, backupPath } = await switchOff(deps, id, plan, request).catch(async (error: unknown) => {
    await removeAgain(added).catch((problem: unknown) => {
      throw toStillPlaced(error, sayStillPlaced(placement.path, added, problem));
    });
    throw error;
  });
  const lost = failed.filter(({ is_new }) => is_new);
  const remains = await removeAgain(lost).then(
    () => undefined,
    (problem: unknown) => sayStillPlaced(placement.path, lost, problem),
  );
  const whyLeft = failed.map((server) =>
    whyFailed(server, seen.get(server.server_id), lost.includes(server) ? remains : undefined),
  );
  return outcomeOf(plan, placement, { servers: moved, left: [...plan.left, ...whyLeft], backupPath, seen });
}

/** Has the client leave out those that connect. */
async function switchOff(
  { aiClients, placement }: MoveDeps,
  id: string,
  { servers }: ClientMovePlan,
  { isChecked }: MoveRequest,
) {
  const seen = await attemptAll(servers, placement);
  const failed = isChecked ? servers.filter(({ server_id }) => hasFailed(seen.get(server_id))) : [];
  const moved = servers.filter((server) => !failed.includes(server));
  const change = moved.length === 0 ? undefined : await aiClients.switchOff(id, moved);
  return { seen, failed, moved, backupPath: change?.backupPath ?? null };
}

type Seen = ReadonlyMap<string, ServerInfo>;

async function attemptAll(servers: readonly MovableServer[], placement: ServerPlacement): Promise<Seen> {
  const ids = [...new Set(servers.map(({ server_id }) => server_id))];
  const infos = await Promise.all(ids.map((id) => placement.attempt(id)));
  return new Map(infos.flatMap((info) => (info === undefined ? [] : [[info.id, info] as const])));
}

const failures: readonly ServerStatus[] = ['degraded', 'reconnecting', 'disabled'];

/** One that waits for a login can be reached; one that still starts may need longer than an answer may take. */
function hasFailed(info: ServerInfo | undefined): boolean {
  return info !== undefined && info.login_url === undefined && failures.includes(info.status);
}

/** @param remains why it may still be in the configuration */
function whyFailed({ name }: MovableServer, info: ServerInfo | undefined, remains: string | undefined): LeftServer {
  const why = info?.last_error ?? 'no reason is known';
  const reason = `does not connect behind Portico (${why}); fix that, or move it anyway with --no-check`;
  return { name, reason: remains === undefined ? reason : `${reason}; ${remains}` };
}

function refuseToMove({ client, name, path }: ClientMovePlan, why: string): AiClientError {
  const next = `attach it first: portico clients attach ${client} --move`;
  return new AiClientError(
    'unusable',
    `${name} ${why}, so it would lose its servers; ${path} is left as it is; ${next}`,
  );
}

interface Parts {
  readonly servers: readonly MovableServer[];
  readonly left: readonly LeftServer[];
  readonly backupPath?: string | null;
  readonly seen?: Seen;
}

function outcomeOf(
  { client, path, notAttached }: ClientMovePlan,
  { path: configPath }: ServerPlacement,
  { servers, left, backupPath = null, seen = new Map() }: Parts,
): ClientMoved {
  const toMoved = (server: MovableServer): MovedServer => ({
    name: server.name,
    server_id: server.server_id,
    imported: server.is_new,
    definition: maskSecrets(server.definition),
    line: server.line,
    switched_off_by: server.switched_off_by,
    scope: server.scope,
    status: seen.get(server.server_id)?.status ?? null,
    lost_fields: [...server.lost_fields],
    plain_secrets: [...server.plain_secrets],
  });
  return { client, path, configPath, attached: notAttached === null, servers: servers.map(toMoved), left, backupPath };
}
