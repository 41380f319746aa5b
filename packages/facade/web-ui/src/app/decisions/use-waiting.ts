// The tickets that wait, for the pages that show them.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { often } from '../data/queries.js';
import { useClient } from '../data/session.js';
import { readWaiting, type Waiting } from './waiting-tickets.js';

export function useWaiting(): UseQueryResult<Waiting> {
  const client = useClient();
  return useQuery({
    queryKey: ['approvals', 'waiting'],
    refetchInterval: often,
    queryFn: ({ signal }) => readWaiting((page) => client.listApprovals({ status: 'pending', ...page }, { signal })),
  });
}
