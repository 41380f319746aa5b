// Tools that fit words, best first, with why each was found.
import type { SearchResponse } from '@portico/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Badge } from '../../components/badge.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { plural } from '../../lib/format.js';
import { EntryLink } from './entry-link.js';
import { PolicyState } from './policy-state.js';
import type { Verdicts } from './shapes.js';
import { useVerdicts, type Viewer } from './verdicts.js';

const most = 30;

type Found = SearchResponse['capabilities'][number];

interface ToolHitsProps {
  readonly typed: string;
  /** Empty for all. */
  readonly server: string;
  /** Empty for both. */
  readonly mode: string;
  readonly viewer: Viewer;
}

export function ToolHits({ typed, server, mode, viewer }: ToolHitsProps) {
  const client = useClient();
  const verdicts = useVerdicts(viewer);
  const hits = useQuery({
    queryKey: ['search', typed, server, mode],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.searchCapabilities(
        {
          query: typed,
          limit: most,
          ...(server === '' ? {} : { server_ids: [server] }),
          ...(mode === 'read' || mode === 'write' ? { modes: [mode] } : {}),
        },
        { signal },
      ),
  });
  return (
    <QueryView query={hits} what="what fits">
      {({ capabilities }) => (
        <>
          <p className="muted" role="status">
            {plural(capabilities.length, 'tool')} found{capabilities.length === most ? ', the best of them' : ''}
          </p>
          <DataTable
            caption="Tools that fit, best first"
            columns={columnsOf(verdicts)}
            rows={capabilities}
            keyOf={({ id }) => id}
            empty="Nothing fits these words. Fewer words, or others, may."
          />
        </>
      )}
    </QueryView>
  );
}

const reasons: Readonly<Record<string, string>> = {
  lexical: 'its words match',
  semantic: 'its meaning is close',
  tag: 'a tag matches',
};

function columnsOf(verdicts: Verdicts | undefined): readonly Column<Found>[] {
  const policy: readonly Column<Found>[] =
    verdicts === undefined
      ? []
      : [{ title: 'Policy', render: ({ id }) => <PolicyState verdict={verdicts.byId.get(id)} /> }];
  return [
    { title: 'Tool', render: ({ id }) => <EntryLink kind="tools" id={id} /> },
    { title: 'Summary', render: ({ summary }) => <VisibleText text={summary} /> },
    { title: 'Mode', render: ({ mode }) => <Badge tone={mode === 'read' ? 'good' : 'warn'}>{mode}</Badge> },
    ...policy,
    {
      title: 'Why',
      render: ({ match_types: types }) => types.map((type) => reasons[type] ?? type).join(', ') || 'all entries fit',
    },
  ];
}
