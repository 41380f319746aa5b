// The servers: how each is doing, and everything that can be done to one.
import { isJsonObject, type JsonObject, type RefusalReason, type ServerInfo } from '@portico/contracts';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { DataTable } from '../../components/data-table.js';
import { ExternalLink } from '../../components/external-link.js';
import { Modal } from '../../components/modal.js';
import { Page, Section } from '../../components/page.js';
import { CircuitBadge, StatusBadge } from '../../components/server-state.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig, useServers } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { toVisible } from '../../lib/visible.js';
import { LogsDialog } from './logs-dialog.js';
import { ServerDialog } from './server-dialog.js';
import './servers.css';

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'logs' | 'remove'; readonly id: string };

export function ServersPage() {
  const client = useClient();
  const servers = useServers();
  const config = useConfig();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = () => setOpen(undefined);
  const restart = useAction(
    (id: string) => client.restartServer(id),
    ({ server, status }) => `${server} is restarted; it is ${status}`,
  );
  return (
    <Page
      title="Servers"
      lead="MCP servers behind this daemon. Changes are written to the configuration file and take effect at once."
      actions={
        <Button variant="primary" onClick={() => setOpen({ kind: 'add' })}>
          Add a server
        </Button>
      }
    >
      <ProblemNote problem={restart.problem} />
      <Section title="All servers">
        <QueryView query={servers} what="the servers">
          {(data) => (
            <ServerTable
              servers={data.servers}
              actions={(id) => (
                <div className="actions">
                  <RowButton id={id} onClick={() => setOpen({ kind: 'edit', id })}>
                    Edit
                  </RowButton>
                  <RowButton id={id} onClick={() => void restart.run(id)}>
                    Restart
                  </RowButton>
                  <RowButton id={id} onClick={() => setOpen({ kind: 'logs', id })}>
                    Logs
                  </RowButton>
                  <RowButton id={id} onClick={() => setOpen({ kind: 'remove', id })}>
                    Remove
                  </RowButton>
                </div>
              )}
            />
          )}
        </QueryView>
      </Section>
      {open?.kind === 'add' ? <ServerDialog onClose={close} /> : null}
      {open?.kind === 'edit' && config.data !== undefined ? (
        <ServerDialog server={{ id: open.id, definition: definitionOf(config.data.config, open.id) }} onClose={close} />
      ) : null}
      {open?.kind === 'edit' && config.data === undefined ? (
        <Modal title={`Edit ${open.id}`} onClose={close}>
          <QueryView query={config} what="its definition">
            {() => null}
          </QueryView>
        </Modal>
      ) : null}
      {open?.kind === 'logs' ? <LogsDialog id={open.id} onClose={close} /> : null}
      {open?.kind === 'remove' ? <RemoveDialog id={open.id} onClose={close} /> : null}
    </Page>
  );
}

interface ServerTableProps {
  readonly servers: readonly ServerInfo[];
  actions(id: string): ReactNode;
}

function ServerTable({ servers, actions }: ServerTableProps) {
  return (
    <DataTable
      caption="Servers"
      rows={servers}
      keyOf={({ id }) => id}
      empty="No servers yet. Add one, or import those of an AI client in the settings."
      columns={[
        { title: 'Server', render: (server) => <Name server={server} /> },
        { title: 'Status', render: (server) => <StatusBadge server={server} /> },
        { title: 'Circuit', render: (server) => <CircuitBadge server={server} /> },
        { title: 'Entries', kind: 'number', render: ({ tools, resources, prompts }) => tools + resources + prompts },
        { title: 'Actions', kind: 'actions', render: ({ id }) => actions(id) },
      ]}
    />
  );
}

function Name({ server }: { readonly server: ServerInfo }) {
  const { id, transport, protocol_version, last_error, login_url } = server;
  const { definition_problems = [], refused_requests = [] } = server;
  return (
    <div className="server-name">
      <span className="mono">
        <VisibleText text={id} />
      </span>
      <span className="hint">
        {transport}
        {protocol_version === null ? '' : `, MCP ${protocol_version}`}
      </span>
      {last_error === undefined ? null : (
        <span className="server-error">
          <VisibleText text={last_error} />
        </span>
      )}
      {definition_problems.length === 0 ? null : (
        <details className="hint">
          <summary>{definition_problems.length} definitions left out or mended</summary>
          <ul>
            {definition_problems.map(({ list, name, left_out, reason }) => (
              <li key={`${list} ${name} ${reason}`}>
                <VisibleText text={`${list} "${name}" ${left_out ? 'left out' : 'mended'}: ${reason}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {refused_requests.length === 0 ? null : (
        <details className="hint">
          <summary>Questions that were refused</summary>
          <ul>
            {refused_requests.map(({ method, reason, count }) => (
              <li key={`${method} ${reason}`}>{`${method}, ${count} times: ${refusals[reason]}`}</li>
            ))}
          </ul>
        </details>
      )}
      {login_url === undefined ? null : <ExternalLink url={login_url} label="Log in" />}
    </div>
  );
}

const refusals: Readonly<Record<RefusalReason, string>> = {
  caller_cannot_answer: 'its callers could not be asked',
  not_declared_to_server: 'its clientCapabilities leave it out',
  outside_of_calls: 'no call was running',
};

interface RowButtonProps {
  readonly id: string;
  readonly children: string;
  onClick(): void;
}

function RowButton({ id, children, onClick }: RowButtonProps) {
  return (
    <Button variant="quiet" onClick={onClick}>
      {children}
      <span className="visually-hidden"> {toVisible(id)}</span>
    </Button>
  );
}

function RemoveDialog({ id, onClose }: { readonly id: string; onClose(): void }) {
  const client = useClient();
  const remove = useAction(
    () => client.deleteServer(id),
    () => `${id} is removed`,
  );
  const confirm = async () => {
    if ((await remove.run(undefined)) !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove ${id}?`}
      verb="Remove"
      isBusy={remove.isBusy}
      problem={remove.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>Its session ends, its entries leave the catalog, and profiles that named it lose it.</p>
    </ConfirmDialog>
  );
}

function definitionOf(config: JsonObject, id: string): JsonObject {
  const servers = config.mcpServers;
  const found = isJsonObject(servers) && Object.hasOwn(servers, id) ? servers[id] : undefined;
  return isJsonObject(found) ? found : {};
}
