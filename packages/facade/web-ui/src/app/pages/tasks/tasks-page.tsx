// Work that goes on after its caller was answered, and what servers ask of a language model or a person.
import { useSearchParams } from 'wouter';
import { Page } from '../../components/page.js';
import { Tabs } from '../../components/tabs.js';
import { SamplingInbox, useSampling } from './sampling-inbox.js';
import { TaskList } from './task-list.js';

/** `?tab=sampling` is the inbox, `?id=` opens one task. */
export function TasksPage() {
  const [search, setSearch] = useSearchParams();
  const waiting = useSampling().data?.requests.filter(({ status }) => status === 'pending').length ?? 0;
  const tab = search.get('tab') === 'sampling' ? 'sampling' : 'tasks';
  return (
    <Page
      title="Tasks and sampling"
      lead="Calls that go on after their callers were answered, and what servers ask of a language model."
    >
      <Tabs<'tasks' | 'sampling'>
        label="Tasks or sampling"
        selected={tab}
        onSelect={(next) => setSearch(next === 'tasks' ? {} : { tab: next })}
        tabs={[
          { id: 'tasks', title: 'Tasks' },
          { id: 'sampling', title: waiting === 0 ? 'Sampling' : `Sampling (${waiting} waiting)` },
        ]}
      >
        {tab === 'tasks' ? (
          <TaskList
            status={search.get('status')}
            opened={search.get('id')}
            onOpened={(id) => setSearch(id === null ? {} : { id })}
          />
        ) : (
          <SamplingInbox />
        )}
      </Tabs>
    </Page>
  );
}
