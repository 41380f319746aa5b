// AI clients as facades reach them: every attach and detach is recorded, including those that fail.
import {
  type AiClient,
  type ClientAction,
  type EcosystemClient,
  type JsonValue,
  PorticoError,
  type ServerSource,
} from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../../audit/audit-log.js';
import { authorFields, type ConfigAuthor } from '../../audit/change-draft.js';
import { timestampOf } from '../../audit/drafts.js';
import type { PlaneState } from '../../state/plane-state.js';
import { AiClientError, type AiClients, type ClientChange, type ClientPreview } from './ai-clients.js';
import { type ClientMoved, type MoveRequest, moveServers, planMove } from './move-servers.js';
import { type PreviewedChange, previewChange } from './preview-change.js';
import type { ServerPlacement } from './server-placement.js';

export interface ClientService {
  list(): Promise<readonly AiClient[]>;
  ecosystem(): Promise<readonly EcosystemClient[]>;
  /** Servers that an import could take, with secrets masked. */
  sources(): Promise<readonly ServerSource[]>;
  /** The change it would make; null for none. @throws AiClientError */
  preview(
    id: string,
    action: ClientAction,
  ): Promise<Pick<ClientPreview, 'path' | 'restores'> & { readonly change: PreviewedChange | null }>;
  /** Imports servers of the client, has it leave them out, and records both. @throws AiClientError, PorticoError */
  move(id: string, request: MoveRequest, by: ConfigAuthor): Promise<ClientMoved>;
  /** @throws AiClientError, AuditUnavailable */
  attach(id: string, by: ConfigAuthor): Promise<ClientChange>;
  /** @throws AiClientError, AuditUnavailable */
  detach(id: string, by: ConfigAuthor): Promise<ClientChange>;
  /** @throws AiClientError, AuditUnavailable */
  undo(id: string, by: ConfigAuthor): Promise<ClientChange>;
}

interface Deps {
  readonly aiClients: AiClients;
  readonly placement: ServerPlacement;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

type Action = 'attach' | 'detach' | 'undo';
type Details = Readonly<Record<string, JsonValue>>;

export function createClientService(deps: Deps, state: () => PlaneState): ClientService {
  const { aiClients, placement, audit, clock } = deps;
  /** Leaves the record of what is done, or of why it failed. */
  const recorded = async <T>(
    action: Action | 'move',
    id: string,
    by: ConfigAuthor,
    work: () => Promise<T>,
    say: (done: T) => Details,
  ): Promise<T> => {
    const open = await audit.begin();
    const end = (status: 'success' | 'failed', details: Details) =>
      open.end({
        timestamp: timestampOf(clock.epochMs()),
        event_type: 'config_change',
        status,
        ...authorFields(state().policy.redactor, by),
        details: { action: `client_${action}`, client: state().policy.redactor.redactText(id), ...details },
      });
    let done: T;
    try {
      done = await work();
    } catch (error) {
      const isKnown = error instanceof AiClientError || error instanceof PorticoError;
      await end('failed', isKnown ? { reason: state().policy.redactor.redactText(error.message) } : {});
      throw error;
    }
    await end('success', say(done));
    return done;
  };
  const change = (action: Action, id: string, by: ConfigAuthor): Promise<ClientChange> =>
    recorded(
      action,
      id,
      by,
      () => aiClients[action](id),
      ({ path, changed, backupPath }) => ({ path, changed, backup_path: backupPath }),
    );

  return {
    list: () => aiClients.list(placement.definitions()),
    ecosystem: aiClients.ecosystem,
    sources: () => aiClients.sources(new Set(state().config.servers.keys())),
    async preview(id, action) {
      const preview = await aiClients.preview(id, action);
      return { path: preview.path, restores: preview.restores, change: previewChange(preview) };
    },
    move: (id, request, by) =>
      request.isDryRun
        ? planMove(deps, id, request)
        : recorded('move', id, by, () => moveServers(deps, by, id, request), detailsOfMove),
    attach: (id, by) => change('attach', id, by),
    detach: (id, by) => change('detach', id, by),
    undo: (id, by) => change('undo', id, by),
  };
}

function detailsOfMove({ path, servers, left, backupPath }: ClientMoved): Details {
  return {
    path,
    changed: servers.length > 0,
    servers: servers.map(({ server_id }) => server_id),
    left: left.map(({ name }) => name),
    backup_path: backupPath,
  };
}
