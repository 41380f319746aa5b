// Prompts, filtered as one types.
import type { PromptListItem } from '@portico/contracts';
import { useState } from 'react';
import { DataTable } from '../../components/data-table.js';
import { TextField } from '../../components/field.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { usePrompts } from '../../data/queries.js';
import { useEntryColumns } from './entry-columns.js';
import { EntryLink } from './entry-link.js';
import { GrowingList } from './growing-list.js';

export function PromptList() {
  const [words, setWords] = useState('');
  const entryColumns = useEntryColumns<PromptListItem>('prompts');
  const list = usePrompts();
  const fits = (text: string) => text.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <div className="stack">
      <TextField label="Filter prompts" type="search" value={words} onValue={setWords} />
      <QueryView query={list} what="the prompts">
        {({ prompts }) => (
          <GrowingList rows={prompts.filter(({ id, title, description }) => fits(`${id} ${title} ${description}`))}>
            {(rows) => (
              <DataTable
                caption="Prompts"
                columns={[
                  { title: 'Prompt', render: ({ id }) => <EntryLink kind="prompts" id={id} /> },
                  {
                    title: 'Purpose',
                    render: (entry) => <VisibleText text={entry.description ?? entry.title ?? ''} />,
                  },
                  { title: 'Arguments', kind: 'number', render: (entry) => entry.arguments.length },
                  ...entryColumns,
                ]}
                rows={rows}
                keyOf={({ id }) => id}
                empty="No prompt fits."
              />
            )}
          </GrowingList>
        )}
      </QueryView>
    </div>
  );
}
