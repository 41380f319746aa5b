// Work that goes on after its caller was answered, and what servers ask of a language model or a person.
import { useSearchParams } from 'wouter';
import { Page } from '../../components/page.js';
import { Tabs } from '../../components/tabs.js';
import { SamplingInbox } from './sampling-inbox.js';
import { TaskList } from './task-list.js';

/** `?tab=sampling` is the inbox, `?id=` opens one task. */
export function TasksPage() {
  const [search, setSearch] = useSearchParams();
  const tab = search.get('tab') === 'sampling' ? 'sampling' : 'tasks';
  return (
    <Page title="Tasks and sampling" lead="What goes on by itself, and what waits for an answer of yours.">
      <Tabs<'tasks' | 'sampling'>
        label="Tasks or sampling"
        selected={tab}
        onSelect={(next) => setSearch(next === 'tasks' ? {} : { tab: next })}
        tabs={[
          { id: 'tasks', title: 'Tasks' },
          { id: 'sampling', title: 'Sampling' },
        ]}
      >
        {tab === 'tasks' ? (
          <TaskList opened={search.get('id')} onOpened={(id) => setSearch(id === null ? {} : { id })} />
        ) : (
          <SamplingInbox />
        )}
      </Tabs>
    </Page>
  );
}
