// Tools found as one types, with why each was found; without words, all of them.
import type { Answers } from '@portico/client';
import type { SearchResponse } from '@portico/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Badge } from '../../components/badge.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { SelectField, TextField } from '../../components/field.js';
import { QueryView } from '../../components/states.js';
import { type VirtualColumn, VirtualTable } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import { useCapabilities } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { plural } from '../../lib/format.js';
import { EntryLink } from './entry-link.js';

const anything = '';
const most = 30;

type Found = SearchResponse['capabilities'][number];

export function ToolSearch() {
  const [query, setQuery] = useState('');
  const [server, setServer] = useState(anything);
  const [mode, setMode] = useState(anything);
  const typed = useDeferredValue(query.trim());
  const list = useCapabilities();
  const servers = [...new Set(list.data?.capabilities.map((entry) => entry.server))];
  return (
    <div className="stack">
      <search className="filters">
        <TextField
          label="Search tools"
          type="search"
          placeholder="what it should do"
          value={query}
          onValue={setQuery}
        />
        <SelectField
          label="Server"
          value={server}
          options={[[anything, 'All servers'], ...servers.map((id) => [id, id] as const)]}
          onValue={setServer}
        />
        <SelectField
          label="Mode"
          value={mode}
          options={[
            [anything, 'Reads and writes'],
            ['read', 'Reads only'],
            ['write', 'May write'],
          ]}
          onValue={setMode}
        />
      </search>
      {typed === '' && mode === anything ? <AllTools server={server} /> : <Hits {...{ typed, server, mode }} />}
    </div>
  );
}

function AllTools({ server }: { readonly server: string }) {
  const list = useCapabilities();
  return (
    <QueryView query={list} what="the tools">
      {({ capabilities }) => (
        <VirtualTable
          caption="Tools"
          name="catalog"
          columns={toolColumns}
          rows={capabilities.filter((entry) => server === anything || entry.server === server)}
          keyOf={({ id }) => id}
          empty="No tool is there: no server is connected, or policy hides them all."
        />
      )}
    </QueryView>
  );
}

type Tool = Answers['listCapabilities']['capabilities'][number];

const toolColumns: readonly VirtualColumn<Tool>[] = [
  { title: 'Tool', name: 'tool', render: ({ id }) => <EntryLink kind="tools" id={id} /> },
  { title: 'What it does', name: 'summary', render: ({ summary }) => <VisibleText text={summary} /> },
  { title: 'Tags', name: 'tags', render: ({ server, tags }) => <Tags tags={tags.filter((tag) => tag !== server)} /> },
];

export function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <span className="row">
      {tags.map((tag) => (
        <Badge key={tag} tone={tag === 'destructive' ? 'warn' : tag === 'read-only' ? 'good' : 'neutral'}>
          <VisibleText text={tag} />
        </Badge>
      ))}
    </span>
  );
}

interface HitsProps {
  readonly typed: string;
  readonly server: string;
  readonly mode: string;
}

function Hits({ typed, server, mode }: HitsProps) {
  const client = useClient();
  const hits = useQuery({
    queryKey: ['search', typed, server, mode],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.searchCapabilities(
        {
          query: typed,
          limit: most,
          ...(server === anything ? {} : { server_ids: [server] }),
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
            columns={columns}
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

const columns: readonly Column<Found>[] = [
  { title: 'Tool', render: ({ id }) => <EntryLink kind="tools" id={id} /> },
  { title: 'What it does', render: ({ summary }) => <VisibleText text={summary} /> },
  { title: 'Mode', render: ({ mode }) => <Badge tone={mode === 'read' ? 'good' : 'warn'}>{mode}</Badge> },
  {
    title: 'Why',
    render: ({ match_types: types }) => types.map((type) => reasons[type] ?? type).join(', ') || 'all entries fit',
  },
  { title: 'Score', kind: 'number', render: ({ score }) => score.toFixed(2) },
];
