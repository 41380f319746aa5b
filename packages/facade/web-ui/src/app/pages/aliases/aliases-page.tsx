// Short names for capabilities, resources and prompts.
import { useState } from 'react';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable } from '../../components/data-table.js';
import { Page, Section } from '../../components/page.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { toVisible } from '../../lib/visible.js';
import { AliasDialog } from './alias-dialog.js';
import { type Alias, listAliases } from './list-aliases.js';

export function AliasesPage() {
  const client = useClient();
  const config = useConfig();
  const [open, setOpen] = useState<Alias | 'new' | undefined>(undefined);
  const remove = useAction(
    ({ kind, alias }: Alias) => client.updateAlias({ kind, alias, target: null }),
    ({ alias }) => `Alias ${alias} is removed`,
  );
  return (
    <Page
      title="Aliases"
      lead="Short names for capabilities, resources and prompts. Policy is tried on the alias and on the id."
      actions={
        <Button variant="primary" onClick={() => setOpen('new')}>
          Add an alias
        </Button>
      }
    >
      <ProblemNote problem={remove.problem} />
      <Section title="All aliases">
        <QueryView query={config} what="the aliases">
          {(data) => (
            <DataTable
              caption="Aliases"
              rows={listAliases(data.config)}
              keyOf={({ kind, alias }) => `${kind} ${alias}`}
              empty="No aliases yet. Long ids become short names here."
              columns={[
                { title: 'Alias', kind: 'code', render: ({ alias }) => <VisibleText text={alias} /> },
                { title: 'Target', kind: 'code', render: ({ target }) => <VisibleText text={target} /> },
                { title: 'Kind', render: ({ kind }) => kind },
                {
                  title: 'Passthrough',
                  render: ({ isPassthrough }) => (isPassthrough ? <Badge tone="info">yes</Badge> : 'no'),
                },
                {
                  title: 'Actions',
                  kind: 'actions',
                  render: (alias) => (
                    <>
                      <Button variant="quiet" data-key="Enter" onClick={() => setOpen(alias)}>
                        Edit<span className="visually-hidden"> {toVisible(alias.alias)}</span>
                      </Button>
                      <Button variant="quiet" onClick={() => void remove.run(alias)}>
                        Remove<span className="visually-hidden"> {toVisible(alias.alias)}</span>
                      </Button>
                    </>
                  ),
                },
              ]}
            />
          )}
        </QueryView>
      </Section>
      {open === undefined ? null : (
        <AliasDialog known={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  );
}
