// The servers: how each is doing, and everything that can be done to one.
import { type ServerInfo, worstFirst } from '@portico/contracts';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { ExternalLink } from '../../components/external-link.js';
import { Page, Section } from '../../components/page.js';
import { CircuitBadge, StatusBadge } from '../../components/server-state.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useServers } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { formatCount } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { EditServer } from './edit-server.js';
import { ImportSection } from './import-section.js';
import { LogsDialog } from './logs-dialog.js';
import { RemoveServer } from './remove-server.js';
import { ServerDialog } from './server-dialog.js';
import { ServerNotes } from './server-notes.js';
import { ServerPage } from './server-page.js';
import './servers.css';

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'logs' | 'remove'; readonly id: string };

/** `/servers/ID` is one server. */
export function ServersPage() {
  const [place] = useLocation();
  const id = place.split('/')[2];
  return id === undefined || id === '' ? <Servers /> : <ServerPage id={id} key={id} />;
}

function Servers() {
  const isAdmin = useIsAdmin();
  const client = useClient();
  const servers = useServers();
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
        isAdmin ? (
          <Button variant="primary" onClick={() => setOpen({ kind: 'add' })}>
            Add a server
          </Button>
        ) : null
      }
    >
      <ProblemNote problem={restart.problem} />
      <Section title="All servers">
        <QueryView query={servers} what="the servers">
          {(data) => (
            <ServerTable
              servers={data.servers}
              actions={(id) =>
                !isAdmin ? null : (
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
                )
              }
            />
          )}
        </QueryView>
      </Section>
      {isAdmin ? <ImportSection /> : null}
      {open?.kind === 'add' ? <ServerDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <EditServer id={open.id} onClose={close} /> : null}
      {open?.kind === 'logs' ? <LogsDialog id={open.id} onClose={close} /> : null}
      {open?.kind === 'remove' ? <RemoveServer id={open.id} onClose={close} /> : null}
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
      rows={worstFirst(servers)}
      keyOf={({ id }) => id}
      empty="No servers yet. Add one, or import those of an AI client below."
      columns={[
        { title: 'Server', render: (server) => <Name server={server} /> },
        { title: 'Status', render: (server) => <StatusBadge server={server} /> },
        { title: 'Circuit', render: (server) => <CircuitBadge server={server} /> },
        {
          title: 'Tools',
          kind: 'number',
          render: ({ id, tools }) => (
            <Link href={`/catalog?${new URLSearchParams({ server: id })}`}>{formatCount(tools)}</Link>
          ),
        },
        { title: 'Actions', kind: 'actions', render: ({ id }) => actions(id) },
      ]}
    />
  );
}

function Name({ server }: { readonly server: ServerInfo }) {
  const { id, transport, protocol_version, last_error, login_url } = server;
  return (
    <div className="server-name">
      <Link href={`/servers/${encodeURIComponent(id)}`} className="mono" data-key="Enter">
        <VisibleText text={id} />
      </Link>
      <span className="hint">
        {transport}
        {protocol_version === null ? '' : `, MCP ${protocol_version}`}
      </span>
      {last_error === undefined ? null : (
        <span className="server-error">
          <VisibleText text={last_error} />
        </span>
      )}
      <ServerNotes server={server} />
      {login_url === undefined ? null : <ExternalLink url={login_url} label="Log in" />}
    </div>
  );
}

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
