// The servers, those with a problem first, each with its reason.
import { type ServerInfo, serverReason, workingServers, worstFirst } from '@portico/contracts';
import { Link } from 'wouter';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { CircuitBadge, StatusBadge } from '../../components/server-state.js';
import { VisibleText } from '../../components/visible-text.js';

/** More are on their own page. */
const shown = 12;

export function ServerList({ servers }: { readonly servers: readonly ServerInfo[] }) {
  const working = workingServers(servers).length;
  const more = servers.length - shown;
  return (
    <Section
      title={`Servers: ${working} of ${servers.length} working`}
      actions={<Link href="/servers">All servers</Link>}
    >
      <DataTable
        caption="Servers and how they are doing"
        rows={worstFirst(servers).slice(0, shown)}
        keyOf={({ id }) => id}
        empty={
          <>
            No servers yet. <Link href="/servers">Add one, or import those of an AI client</Link>.
          </>
        }
        columns={[
          {
            title: 'Server',
            kind: 'code',
            render: ({ id }) => (
              <Link href={`/servers/${encodeURIComponent(id)}`} data-key="Enter">
                <VisibleText text={id} />
              </Link>
            ),
          },
          { title: 'Status', render: (server) => <StatusBadge server={server} /> },
          { title: 'Reason', render: (server) => <Reason server={server} /> },
          {
            title: 'Tools',
            kind: 'number',
            render: ({ id, tools }) => <Link href={`/servers/${encodeURIComponent(id)}`}>{tools}</Link>,
          },
        ]}
      />
      {more > 0 ? <Link href="/servers">{`${more} more`}</Link> : null}
    </Section>
  );
}

function Reason({ server }: { readonly server: ServerInfo }) {
  const reason = serverReason(server);
  return (
    <span className="cell-clip" title={reason}>
      {server.circuit.state === 'closed' ? null : <CircuitBadge server={server} />}{' '}
      {reason === undefined ? null : <VisibleText text={reason} />}
    </span>
  );
}
