// Collects everything that waits for a person, from all its sources.
import { bySoonest, hasCrashed, lockNeedsOf } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { often, useLock, useServers } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useWaiting } from '../../decisions/use-waiting.js';

/** More than a person decides at once. */
const most = 50;
/** Calls of the first screen, which leave room for what else needs a person and for the activity. */
const shownTickets = 5;

export type Needs = ReturnType<typeof useNeeds>;

export function useNeeds() {
  const client = useClient();
  const waiting = useWaiting();
  const tasks = useQuery({
    queryKey: ['tasks', 'input_required'],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listTasks({ status: 'input_required', limit: most }, { signal }),
  });
  const sampling = useQuery({
    queryKey: ['sampling', 'pending'],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listSamplingRequests({ status: 'pending', limit: most }, { signal }),
  });
  const servers = useServers().data?.servers ?? [];
  const { fault, held } = lockNeedsOf(useLock().data);
  const found = {
    faults: fault === undefined ? [] : [fault],
    held,
    tickets: (waiting.data?.tickets ?? []).slice(0, shownTickets),
    questions: tasks.data?.tasks ?? [],
    requests: bySoonest(sampling.data?.requests ?? []),
    logins: servers.filter(({ login_url: login }) => login !== undefined),
    crashed: servers.filter(hasCrashed),
  };
  const shown = Object.values(found).reduce((sum, { length }) => sum + length, 0);
  const waitingCount = waiting.data?.total ?? 0;
  return {
    ...found,
    waitingCount,
    /** With the tickets that are not shown. */
    count: shown - found.tickets.length + waitingCount,
    isLoading: waiting.isPending,
  };
}
