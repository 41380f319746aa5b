// Definitions of servers compared with the accepted ones: each difference with its words, and whether it is held.
import type { Answers } from '@portico/client';
import { type DriftView, driftSummary } from '@portico/contracts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { SelectField } from '../../components/field.js';
import { Page } from '../../components/page.js';
import { Empty, QueryView } from '../../components/states.js';
import { useDrift, useLock } from '../../data/queries.js';
import { toVisible } from '../../lib/visible.js';
import { AcceptDialog } from './accept-dialog.js';
import { byServer } from './drift-groups.js';
import { FindingsSection } from './findings-section.js';
import { LockState } from './lock-state.js';
import { ServerChanges } from './server-changes.js';
import './changes.css';

const all = '';

/** `?server=` shows those of one server. */
export function ChangesPage() {
  const [search, setSearch] = useSearchParams();
  const server = search.get('server') ?? all;
  const lock = useLock(true);
  const servers = lock.data?.servers.map(({ id }) => id) ?? [];
  return (
    <Page
      title="Changes"
      lead="Definitions of servers and tools, compared with those that a person accepted."
      actions={
        <SelectField
          label="Server"
          value={server}
          options={[[all, 'All servers'], ...servers.map((id) => [id, toVisible(id)] as const)]}
          onValue={(id) => setSearch(id === all ? {} : { server: id })}
        />
      }
    >
      <QueryView query={lock} what="the lock">
        {(state) => <Changes state={state} server={server} />}
      </QueryView>
    </Page>
  );
}

interface ChangesProps {
  readonly state: Answers['getLock'];
  readonly server: string;
}

function Changes({ state, server }: ChangesProps) {
  const drift = useDrift();
  const [asked, setAsked] = useState<readonly DriftView[] | undefined>(undefined);
  const isShown = (each: { readonly server_id: string }) => server === all || each.server_id === server;
  return (
    <QueryView query={drift} what="the changes">
      {({ drifts, findings }) => {
        const shown = drifts.filter(isShown);
        return (
          <>
            <LockState state={state} drifts={drifts} onAccept={setAsked} />
            {shown.length === 0 ? (
              <Nothing state={state} />
            ) : (
              <>
                <p className="figure-line" role="status">
                  {driftSummary(shown)}
                </p>
                {[...byServer(shown)].map(([id, own]) => (
                  <ServerChanges
                    key={id}
                    server={state.servers.find((each) => each.id === id)}
                    id={id}
                    drifts={own}
                    findings={findings}
                    isOpenAtFirst={shown.length <= fewToOpen}
                    onAccept={setAsked}
                  />
                ))}
              </>
            )}
            <FindingsSection findings={findings.filter(isShown)} />
            {asked === undefined ? null : (
              <AcceptDialog drifts={asked} current={drifts} findings={findings} onClose={() => setAsked(undefined)} />
            )}
          </>
        );
      }}
    </QueryView>
  );
}

/** Up to this number, all are shown with their texts. */
const fewToOpen = 8;

function Nothing({ state: { usable, servers } }: { readonly state: Answers['getLock'] }) {
  const isOn = servers.some(({ mode }) => mode !== 'off');
  return isOn && usable ? <Empty>Everything is as it was accepted.</Empty> : null;
}
