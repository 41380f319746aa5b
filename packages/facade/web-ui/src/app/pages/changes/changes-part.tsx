// Definitions of servers compared with the accepted ones: each difference with its words, and whether it is held.
import type { Answers } from '@portico/client';
import { type DriftView, defaultDriftLimit, driftSummary } from '@portico/contracts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Empty, QueryView } from '../../components/states.js';
import { useDrift, useLock } from '../../data/queries.js';
import { formatCount, plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { Part } from '../safety/part.js';
import { AcceptDialog } from './accept-dialog.js';
import { byServer } from './drift-groups.js';
import { FindingsSection } from './findings-section.js';
import { LockState } from './lock-state.js';
import { ServerChanges } from './server-changes.js';
import './changes.css';

const all = '';

/** `?server=` shows those of one server. */
export function ChangesPart() {
  const [search, setSearch] = useSearchParams();
  const server = search.get('server') ?? all;
  const lock = useLock(true);
  const servers = lock.data?.servers.map(({ id }) => id) ?? [];
  return (
    <Part
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
    </Part>
  );
}

interface ChangesProps {
  readonly state: Answers['getLock'];
  readonly server: string;
}

function Changes({ state, server }: ChangesProps) {
  const [pages, setPages] = useState(1);
  const isConfigured = state.servers.some(({ id }) => id === server);
  const drift = useDrift(isConfigured ? server : undefined, true, pages);
  const [asked, setAsked] = useState<readonly DriftView[] | undefined>(undefined);
  const isShown = (each: { readonly server_id: string }) => server === all || each.server_id === server;
  return (
    <QueryView query={drift} what="the changes">
      {({ drifts, findings, total = drifts.length }) => {
        const shown = drifts.filter(isShown); // an earlier answer stays while another server is asked for
        const more = total - drifts.length;
        return (
          <>
            <LockState state={state} drifts={shown} isWhole={more === 0 && server === all} onAccept={setAsked} />
            {shown.length === 0 ? (
              <Nothing state={state} isKnown={!drift.isPlaceholderData} />
            ) : (
              <>
                <p className="figure-line" role="status">
                  {more > 0 ? `The first ${formatCount(drifts.length)} of ${plural(total, 'change')}: ` : ''}
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
                {more <= 0 ? null : (
                  <Button onClick={() => setPages(pages + 1)} isBusy={drift.isPlaceholderData}>
                    Load {Math.min(more, defaultDriftLimit)} more of {plural(total, 'change')}
                  </Button>
                )}
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

interface NothingProps {
  readonly state: Answers['getLock'];
  /** False while the answer is that of another server. */
  readonly isKnown: boolean;
}

function Nothing({ state: { usable, servers }, isKnown }: NothingProps) {
  const isOn = servers.some(({ mode }) => mode !== 'off');
  return isOn && usable && isKnown ? <Empty>Everything is as it was accepted.</Empty> : null;
}
