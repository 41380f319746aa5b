// Approvals that are remembered: which calls each answers, how much of it is left, and its end by a person.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { CodeView } from '../../components/code-view.js';
import { SelectField } from '../../components/field.js';
import { Section } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { Empty, QueryView } from '../../components/states.js';
import { often, useConfig } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import type { Grant } from '../../lib/grant-words.js';
import { GrantDialog } from './grant-dialog.js';
import { GrantTable } from './grant-table.js';
import { Part } from './part.js';
import { RevokeDialog } from './revoke-dialog.js';

const pageSize = 50;

const states = [
  ['active', 'Active'],
  ['ended', 'Ended'],
  ['all', 'All'],
] as const;

/** `?state=` filters, `?id=` opens one. */
export function GrantsPart() {
  const client = useClient();
  const [search, setSearch] = useSearchParams();
  const state = states.find(([name]) => name === search.get('state'))?.[0] ?? 'active';
  const offset = Number(search.get('offset') ?? 0);
  const id = search.get('id');
  const [asked, setAsked] = useState<Grant | undefined>(undefined);
  const grants = useQuery({
    queryKey: ['grants', state, offset],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listGrants({ state, limit: pageSize, offset }, { signal }),
  });
  const show = (more: Readonly<Record<string, string>>) =>
    setSearch({ ...(state === 'active' ? {} : { state }), ...more });
  return (
    <Part
      lead="Approvals that a person keeps for later calls. A grant never allows a call that a rule denies, and ends by itself."
      actions={
        <SelectField label="Show" value={state} options={states} onValue={(next) => setSearch({ state: next })} />
      }
    >
      <QueryView query={grants} what="the grants">
        {({ grants: shown, total }) => (
          <>
            {total === 0 ? (
              <NoGrant state={state} />
            ) : (
              <GrantTable grants={shown} onOpen={(next) => show({ id: next })} onRevoke={setAsked} />
            )}
            <Pager
              {...{ offset, total, limit: pageSize, count: shown.length }}
              onOffset={(next) => show({ offset: String(next) })}
            />
          </>
        )}
      </QueryView>
      {asked === undefined ? null : <RevokeDialog grant={asked} onClose={() => setAsked(undefined)} />}
      {id === null ? null : (
        <GrantDialog key={id} id={id} onClose={() => show(offset === 0 ? {} : { offset: String(offset) })} />
      )}
    </Part>
  );
}

const example = `"policy": {
  "grants": { "enabled": true, "maxTtlSecs": 28800, "maxUses": 100 }
}`;

const none: Readonly<Record<(typeof states)[number][0], string>> = {
  active: 'No approval is remembered now. On a ticket, choose Approve and remember…',
  ended: 'No grant has ended.',
  all: 'No approval was remembered yet. On a ticket, choose Approve and remember…',
};

function NoGrant({ state }: { readonly state: keyof typeof none }) {
  const config = useConfig().data;
  if (config === undefined) return null;
  if (areOn(config.config)) return <Empty>{none[state]}</Empty>;
  return (
    <Section
      title="Grants are off"
      lead="Every call that needs an approval asks a person. With grants, an approval may answer equal calls too, for some hours and some uses."
    >
      <CodeView label="For the configuration file" text={example} />
      <p>
        Add it to <code>{config.config_path}</code>; it takes effect when the file is saved.
      </p>
    </Section>
  );
}

function areOn({ policy }: { readonly [name: string]: unknown }): boolean {
  const { grants } = (policy ?? {}) as { readonly grants?: { readonly enabled?: boolean } | null }; // as the service has checked it
  return grants?.enabled === true;
}
