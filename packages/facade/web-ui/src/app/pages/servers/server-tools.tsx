// The tools of one server, with how often each was called and failed in the last day.
import type { Answers } from '@portico/client';
import { Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { type VirtualColumn, VirtualTable } from '../../components/virtual-table.js';
import { VisibleText } from '../../components/visible-text.js';
import { useCapabilities } from '../../data/queries.js';
import { plural } from '../../lib/format.js';
import { CountLink } from '../catalog/count-link.js';
import { EntryLink } from '../catalog/entry-link.js';
import { useDayUsage } from '../catalog/usage.js';

type Tool = Answers['listCapabilities']['capabilities'][number];

export function ServerTools({ id }: { readonly id: string }) {
  const list = useCapabilities();
  const usage = useDayUsage(id);
  const columns: readonly VirtualColumn<Tool>[] = [
    { title: 'Tool', name: 'tool', render: (tool) => <EntryLink kind="tools" id={tool.id} /> },
    { title: 'Summary', name: 'summary', render: ({ summary }) => <VisibleText text={summary} /> },
    {
      title: 'Calls, 24 h',
      name: 'calls',
      render: (tool) => <CountLink id={tool.id} counted="calls" usage={usage} />,
    },
    {
      title: 'Failed',
      name: 'failures',
      render: (tool) => <CountLink id={tool.id} counted="failed" usage={usage} />,
    },
  ];
  return (
    <QueryView query={list} what="its tools">
      {({ capabilities }) => {
        const tools = capabilities.filter(({ server }) => server === id);
        return (
          <Section title={plural(tools.length, 'tool')}>
            <VirtualTable
              caption={`Tools of ${id}`}
              name="tools"
              columns={columns}
              rows={tools}
              keyOf={(tool) => tool.id}
              empty="It offers no tool, or policy hides them all."
            />
          </Section>
        );
      }}
    </QueryView>
  );
}
