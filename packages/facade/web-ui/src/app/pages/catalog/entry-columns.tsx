// Columns that resources and prompts have in common: what policy makes of them, and how often they were used.
import type { Column } from '../../components/data-table.js';
import { useIsAdmin } from '../../data/session.js';
import { CountLink } from './count-link.js';
import { PolicyState } from './policy-state.js';
import { type EntryKind, useDayUsage } from './usage.js';
import { useVerdicts } from './verdicts.js';

const operator = { profile: '', role: '' };

/** None if the role may not read them. */
export function useEntryColumns<Row extends { readonly id: string }>(kind: EntryKind): readonly Column<Row>[] {
  const isAdmin = useIsAdmin();
  const verdicts = useVerdicts(operator);
  const usage = useDayUsage();
  if (!isAdmin) return [];
  return [
    {
      title: 'Policy',
      render: ({ id }) => (verdicts === undefined ? '' : <PolicyState verdict={verdicts.byId.get(id)} />),
    },
    {
      title: 'Calls, 24 h',
      kind: 'number',
      render: ({ id }) => <CountLink id={id} kind={kind} counted="calls" usage={usage} />,
    },
    {
      title: 'Failed',
      kind: 'number',
      render: ({ id }) => <CountLink id={id} kind={kind} counted="failed" usage={usage} />,
    },
  ];
}
