// Findings of static rules in all definitions. A finding blocks nothing; it shows where to look first.
import { definitionTitle, type FindingView, findingSentences, worstFindingsFirst } from '@portico/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { Section } from '../../components/page.js';
import { VisibleText } from '../../components/visible-text.js';
import { plural } from '../../lib/format.js';

const firstRows = 10;
const moreRows = 100;

export function FindingsSection({ findings }: { readonly findings: readonly FindingView[] }) {
  const [shownCount, setShownCount] = useState(firstRows);
  const sorted = worstFindingsFirst(findings);
  const more = sorted.length - shownCount;
  return (
    <Section
      title={`Findings (${sorted.length})`}
      lead="Results of a few static rules on all definitions. They block nothing, and the rules do not find everything."
    >
      <DataTable
        caption="Findings in definitions, the most certain first"
        columns={columns}
        rows={sorted.slice(0, shownCount)}
        keyOf={({ rule, kind, server_id: server, name, evidence }) => `${rule} ${kind} ${server} ${name} ${evidence}`}
        empty="No rule found anything."
      />
      {more <= 0 ? null : (
        <Button onClick={() => setShownCount(shownCount + moreRows)}>
          Show {Math.min(more, moreRows)} more of {plural(more, 'finding')}
        </Button>
      )}
    </Section>
  );
}

const columns: readonly Column<FindingView>[] = [
  { title: 'Where', render: (finding) => <Where finding={finding} /> },
  { title: 'Finding', render: ({ rule }) => findingSentences[rule] },
  { title: 'Evidence', kind: 'code', render: ({ evidence }) => <VisibleText text={evidence} /> },
];

const pageOf: Readonly<Record<FindingView['kind'], (server: string, name: string) => string>> = {
  server: (server) => `/servers/${encodeURIComponent(server)}`,
  tool: (server, name) => `/catalog?${new URLSearchParams({ kind: 'tools', id: `${server}.${name}` })}`,
  prompt: (server, name) => `/catalog?${new URLSearchParams({ kind: 'prompts', id: `${server}.${name}` })}`,
  resource_template: () => '/catalog?kind=resources',
};

function Where({ finding }: { readonly finding: FindingView }) {
  const { kind, server_id: server, name } = finding;
  return (
    <Link href={pageOf[kind](server, name)} data-key="Enter">
      <VisibleText text={definitionTitle(finding)} />
    </Link>
  );
}
