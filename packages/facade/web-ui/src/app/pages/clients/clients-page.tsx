// The AI clients of this machine: Portico is put into their files and taken out of them, and each change can be undone.
import type { AiClient } from '@portico/contracts';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { Page, Section } from '../../components/page.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useAiClients } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';
import { ChangeDialog } from './change-dialog.js';
import { MoveDialog } from './move-dialog.js';
import './clients.css';

interface Open {
  readonly aiClient: AiClient;
  readonly action: 'attach' | 'detach' | 'move';
}

/** `?show=` is one of `shown`; all are listed without it. */
export function ClientsPage() {
  const client = useClient();
  const show = useSearchParams()[0].get('show');
  const clients = useAiClients();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  /** Ids of those whose last change was made here. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const undo = useAction(
    async ({ id }: AiClient) => {
      await client.undoClient(id);
      setChanged((before) => new Set([...before].filter((other) => other !== id)));
    },
    (_, { name }) => `The file of ${name} is as it was before`,
  );
  const dialogOf = ({ aiClient }: Open) => ({
    onDone: () => setChanged(new Set([...changed, aiClient.id])),
    onClose: () => setOpen(undefined),
  });
  return (
    <Page
      title="AI clients"
      lead="Attaching writes one entry into the client's own configuration file. You see the change before it is made."
    >
      <ProblemNote problem={undo.problem} />
      <Section title="On this machine">
        <QueryView query={clients} what="the AI clients">
          {(data) => (
            <>
              <ClientFigures clients={data.clients} />
              <DataTable
                caption="AI clients"
                rows={shownClients(data.clients, show)}
                keyOf={({ id }) => id}
                empty="There is no such client."
                columns={[
                  {
                    title: 'Client',
                    render: ({ name }) => (
                      <Link href={`/audit?${new URLSearchParams({ q: name })}`} className="row-link" data-key="Enter">
                        {name}
                      </Link>
                    ),
                  },
                  { title: 'State', render: State },
                  { title: 'Servers of its own', render: Bypass },
                  { title: 'File', kind: 'code', render: ({ path }) => <VisibleText text={path} /> },
                  {
                    title: 'Actions',
                    kind: 'actions',
                    render: (aiClient) => {
                      const { id, name, attached } = aiClient;
                      const action = attached ? 'detach' : 'attach';
                      return (
                        <>
                          {changed.has(id) ? (
                            <Button variant="quiet" isBusy={undo.isBusy} onClick={() => void undo.run(aiClient)}>
                              Undo<span className="visually-hidden"> the change to {name}</span>
                            </Button>
                          ) : null}
                          {attached && movable(aiClient).length > 0 ? (
                            <Button onClick={() => setOpen({ aiClient, action: 'move' })}>
                              Move<span className="visually-hidden"> the servers of {name} behind Portico</span>
                            </Button>
                          ) : null}
                          <Button onClick={() => setOpen({ aiClient, action })}>
                            {attached ? 'Detach' : 'Attach'}
                            <span className="visually-hidden"> {name}</span>
                          </Button>
                        </>
                      );
                    },
                  },
                ]}
              />
            </>
          )}
        </QueryView>
      </Section>
      {open === undefined ? null : open.action === 'move' ? (
        <MoveDialog aiClient={open.aiClient} {...dialogOf(open)} />
      ) : (
        <ChangeDialog aiClient={open.aiClient} action={open.action} {...dialogOf(open)} />
      )}
    </Page>
  );
}

const shown = {
  found: ({ detected }: AiClient) => detected,
  attached: ({ attached }: AiClient) => attached,
  bypass: ({ attached, direct_servers }: AiClient) => attached && direct_servers.length > 0,
} as const;

/** Clients of this machine come first. */
function shownClients(clients: readonly AiClient[], show: string | null): readonly AiClient[] {
  const isShown = show !== null && Object.hasOwn(shown, show) ? shown[show as keyof typeof shown] : () => true;
  return clients.filter(isShown).sort((a, b) => Number(b.detected) - Number(a.detected));
}

/** The state of the clients in numbers, each a link to the clients that it counts. */
function ClientFigures({ clients }: { readonly clients: readonly AiClient[] }) {
  const attached = clients.filter(shown.attached);
  const past = attached.reduce((sum, { direct_servers }) => sum + direct_servers.length, 0);
  return (
    <p className="figure-line">
      <Link href="/clients?show=found">
        {plural(clients.filter(shown.found).length, 'client')} found on this machine
      </Link>
      <Link href="/clients?show=attached">
        {attached.length} {attached.length === 1 ? 'goes' : 'go'} through Portico
      </Link>
      {past === 0 ? null : (
        <Link href="/clients?show=bypass">
          {plural(past, 'server')} of their own {past === 1 ? 'bypasses' : 'bypass'} it
        </Link>
      )}
      <Link href="/clients">All that are known ({clients.length})</Link>
    </p>
  );
}

function State({ attached, detected }: AiClient) {
  if (attached) return <Badge tone="good">attached</Badge>;
  return <Badge tone={detected ? 'info' : 'neutral'}>{detected ? 'found' : 'not found'}</Badge>;
}

/** Servers that can be moved behind Portico. */
function movable({ direct_servers }: AiClient): AiClient['direct_servers'] {
  return direct_servers.filter(({ problem }) => problem === null);
}

/** Only an attached client bypasses anything. */
function Bypass({ attached, direct_servers }: AiClient) {
  if (!attached || direct_servers.length === 0) return null;
  const { length } = direct_servers;
  return (
    <span className="bypass">
      <Badge tone="warn">bypass</Badge>{' '}
      {length === 1 ? '1 server of its own bypasses Portico: ' : `${length} servers of its own bypass Portico: `}
      <VisibleText text={direct_servers.map(({ name }) => name).join(', ')} />
    </span>
  );
}
