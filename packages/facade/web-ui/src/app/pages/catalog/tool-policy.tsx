// The policy for calls of one tool: for the operator, for each role and each profile, and the rule that decides.
import type { Answers } from '@portico/client';
import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { Loading } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { PolicyState } from './policy-state.js';
import { useViewers } from './verdicts.js';

/** Roles and profiles that are shown; the policy page tries any of them. */
const most = 12;

interface Row {
  readonly who: string;
  readonly tested: Answers['testPolicy'];
}

export function ToolPolicy({ id }: { readonly id: string }) {
  const client = useClient();
  const { profiles, roles } = useViewers();
  const viewers = [
    { who: 'operator', role: null, profile: null },
    ...roles.map((role) => ({ who: `role ${role}`, role, profile: null })),
    ...profiles.map((profile) => ({ who: `profile ${profile}`, role: null, profile })),
  ].slice(0, most);
  const tests = useQueries({
    queries: viewers.map(({ role, profile }) => ({
      queryKey: ['policy-of', id, role, profile],
      queryFn: () => client.testPolicy({ id, kind: 'tool' as const, role, profile }),
    })),
  });
  const rows = viewers.flatMap(({ who }, at): readonly Row[] => {
    const tested = tests[at]?.data;
    return tested === undefined ? [] : [{ who, tested }];
  });
  return (
    <Section title="Policy" lead="The outcome that a call would have now. The tool is not run for this.">
      {rows.length === 0 ? (
        <Loading what="the policy" />
      ) : (
        <DataTable
          caption="Effect of policy on a call"
          rows={rows}
          keyOf={({ who }) => who}
          empty=""
          columns={[
            { title: 'For', render: ({ who }) => <VisibleText text={who} /> },
            { title: 'A call', render: ({ tested }) => <PolicyState verdict={tested} /> },
            { title: 'Written at', kind: 'code', render: ({ tested }) => <Places places={tested.written_at} /> },
            {
              title: 'On trial',
              render: ({ tested: { shadow } }) =>
                shadow === null ? '' : <VisibleText text={`would be: ${shadow.rule ?? shadow.decision}`} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

function Places({ places }: { readonly places: readonly string[] }) {
  return places.map((place, at) => (
    <span key={place}>
      {at === 0 ? '' : ', '}
      <Link href={`/policy?${new URLSearchParams({ at: place })}`}>
        <VisibleText text={place} />
      </Link>
    </span>
  ));
}
