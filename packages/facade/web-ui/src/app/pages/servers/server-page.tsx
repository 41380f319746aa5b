// One server: its state in a sentence with the reason and what to do, its log, its tools, its last calls, its configuration.
import { type ServerInfo, serverReason } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { ExternalLink } from '../../components/external-link.js';
import { Page, Section } from '../../components/page.js';
import { CircuitBadge, StatusBadge } from '../../components/server-state.js';
import { Empty, ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig, useServers } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { plural } from '../../lib/format.js';
import { ServerLockNote } from '../changes/lock-note.js';
import { definitionOf, EditServer } from './edit-server.js';
import { LogView } from './log-view.js';
import { nextStepOf } from './next-step.js';
import { RemoveServer } from './remove-server.js';
import { ServerCalls } from './server-calls.js';
import { ServerNotes } from './server-notes.js';
import { ServerTools } from './server-tools.js';

export function ServerPage({ id }: { readonly id: string }) {
  const isAdmin = useIsAdmin();
  const servers = useServers();
  const config = useConfig();
  return (
    <Page title={id} lead={<Link href="/servers">All servers</Link>} actions={isAdmin ? <Actions id={id} /> : null}>
      <QueryView query={servers} what="the server">
        {(data) => {
          const server = data.servers.find((each) => each.id === id);
          if (server === undefined) return <Empty>No server of this name is configured.</Empty>;
          return <State server={server} />;
        }}
      </QueryView>
      {isAdmin ? (
        <Section title="Log" lead="Lines that repeat are counted.">
          <LogView id={id} />
        </Section>
      ) : null}
      <ServerTools id={id} />
      {isAdmin ? <ServerCalls id={id} /> : null}
      {isAdmin ? (
        <Section title="Configuration" lead="Secrets are shown as ********.">
          <QueryView query={config} what="its definition">
            {(data) => <JsonView label="Definition" value={definitionOf(data.config, id)} />}
          </QueryView>
        </Section>
      ) : null}
    </Page>
  );
}

function State({ server }: { readonly server: ServerInfo }) {
  const { transport, protocol_version: version, restarts, reconnects, pid, running, queued, login_url: login } = server;
  const reason = serverReason(server);
  const next = nextStepOf(server);
  const facts = [
    transport === 'stdio' ? 'a program on this machine' : 'over HTTP',
    ...(version === null ? [] : [`MCP ${version}`]),
    ...(pid === undefined ? [] : [`process ${pid}`]),
    reconnects === undefined ? plural(restarts, 'restart') : `connected to again ${plural(reconnects, 'time')}`,
    `${running} running, ${queued} queued`,
  ];
  return (
    <Section title="State">
      <p className="row">
        <StatusBadge server={server} /> <CircuitBadge server={server} />
        {reason === undefined ? null : (
          <span className="server-error">
            <VisibleText text={reason} />
          </span>
        )}
      </p>
      {next === undefined ? null : <p>{next}</p>}
      {login === undefined ? null : <ExternalLink url={login} label="Log in" />}
      <p className="muted">{facts.join(', ')}</p>
      <ServerNotes server={server} />
      <ServerLockNote id={server.id} />
    </Section>
  );
}

function Actions({ id }: { readonly id: string }) {
  const client = useClient();
  const [open, setOpen] = useState<'edit' | 'remove' | undefined>(undefined);
  const close = () => setOpen(undefined);
  const restart = useAction(
    () => client.restartServer(id),
    ({ server, status }) => `${server} is restarted; it is ${status}`,
  );
  return (
    <>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Button isBusy={restart.isBusy} onClick={() => void restart.run(undefined)}>
        Restart
      </Button>
      <Button variant="danger" onClick={() => setOpen('remove')}>
        Remove
      </Button>
      <ProblemNote problem={restart.problem} />
      {open === 'edit' ? <EditServer id={id} onClose={close} /> : null}
      {open === 'remove' ? <RemoveServer id={id} onClose={close} /> : null}
    </>
  );
}
