// Resources, filtered as one types.
import type { ResourceListItem } from '@portico/contracts';
import { useState } from 'react';
import { DataTable } from '../../components/data-table.js';
import { TextField } from '../../components/field.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useResources } from '../../data/queries.js';
import { useEntryColumns } from './entry-columns.js';
import { EntryLink } from './entry-link.js';
import { GrowingList } from './growing-list.js';

export function ResourceList() {
  const [words, setWords] = useState('');
  const entryColumns = useEntryColumns<ResourceListItem>('resources');
  const list = useResources();
  const fits = (text: string) => text.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <div className="stack">
      <TextField label="Filter resources" type="search" value={words} onValue={setWords} />
      <QueryView query={list} what="the resources">
        {({ resources }) => (
          <GrowingList
            rows={resources.filter(({ id, name, description }) => fits(`${id} ${name} ${description ?? ''}`))}
          >
            {(rows) => (
              <DataTable
                caption="Resources"
                columns={[
                  { title: 'Resource', render: ({ id }) => <EntryLink kind="resources" id={id} /> },
                  { title: 'Name', render: ({ name }) => <VisibleText text={name} /> },
                  { title: 'Type', render: ({ mime_type: type }) => <VisibleText text={type ?? ''} /> },
                  ...entryColumns,
                ]}
                rows={rows}
                keyOf={({ id }) => id}
                empty="No resource fits."
              />
            )}
          </GrowingList>
        )}
      </QueryView>
    </div>
  );
}
