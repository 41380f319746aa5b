// AI clients as facades reach them: whoever attaches or detaches leaves a record of it, whatever came of it.
import type { AiClient, ClientAction, EcosystemClient, ServerSource } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../../audit/audit-log.js';
import { authorFields, type ConfigAuthor } from '../../audit/change-draft.js';
import { timestampOf } from '../../audit/drafts.js';
import type { PlaneState } from '../../state/plane-state.js';
import { AiClientError, type AiClients, type ClientChange } from './ai-clients.js';
import { type PreviewedChange, previewChange } from './preview-change.js';

export interface ClientService {
  list(): Promise<readonly AiClient[]>;
  ecosystem(): Promise<readonly EcosystemClient[]>;
  /** Servers that an import could take, with secrets masked. */
  sources(): Promise<readonly ServerSource[]>;
  /** What it would change; null for nothing. @throws AiClientError */
  preview(
    id: string,
    action: ClientAction,
  ): Promise<{ readonly path: string; readonly change: PreviewedChange | null }>;
  /** @throws AiClientError, AuditUnavailable */
  attach(id: string, by: ConfigAuthor): Promise<ClientChange>;
  /** @throws AiClientError, AuditUnavailable */
  detach(id: string, by: ConfigAuthor): Promise<ClientChange>;
  /** @throws AiClientError, AuditUnavailable */
  undo(id: string, by: ConfigAuthor): Promise<ClientChange>;
}

interface Deps {
  readonly aiClients: AiClients;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

type Action = 'attach' | 'detach' | 'undo';

export function createClientService({ aiClients, audit, clock }: Deps, state: () => PlaneState): ClientService {
  const change = async (action: Action, id: string, by: ConfigAuthor): Promise<ClientChange> => {
    const open = await audit.begin();
    const end = (status: 'success' | 'failed', details: Readonly<Record<string, string | boolean | null>>) =>
      open.end({
        timestamp: timestampOf(clock.epochMs()),
        event_type: 'config_change',
        status,
        ...authorFields(state().policy.redactor, by),
        details: { action: `client_${action}`, client: state().policy.redactor.redactText(id), ...details },
      });
    try {
      const done = await aiClients[action](id);
      const { path, changed, backupPath } = done;
      await end('success', { path, changed, backup_path: backupPath });
      return done;
    } catch (error) {
      await end('failed', error instanceof AiClientError ? { reason: error.message } : {});
      throw error;
    }
  };

  return {
    list: aiClients.list,
    ecosystem: aiClients.ecosystem,
    sources: () => aiClients.sources(new Set(state().config.servers.keys())),
    async preview(id, action) {
      const preview = await aiClients.preview(id, action);
      return { path: preview.path, change: previewChange(preview) };
    },
    attach: (id, by) => change('attach', id, by),
    detach: (id, by) => change('detach', id, by),
    undo: (id, by) => change('undo', id, by),
  };
}
