// The queries of pages, by name. The stream of changes (live.tsx) triggers a new request for changed data. Data that the
// stream does not cover, such as the health of a server, is polled every few seconds while the page is visible.
import type { Answers } from '@portico/client';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useClient, useIsAdmin } from './session.js';

export const often = 3000;
const now = 2000;

export function useServers(): UseQueryResult<Answers['listServers']> {
  const client = useClient();
  return useQuery({
    queryKey: ['servers'],
    queryFn: ({ signal }) => client.listServers({ signal }),
    refetchInterval: often,
  });
}

export function useServerLogs(id: string): UseQueryResult<Answers['getServerLogs']> {
  const client = useClient();
  const queryFn = ({ signal }: { readonly signal: AbortSignal }) => client.getServerLogs(id, { signal });
  return useQuery({ queryKey: ['server-logs', id], queryFn, refetchInterval: now });
}

export function useConfig(): UseQueryResult<Answers['getConfig']> {
  const client = useClient();
  return useQuery({
    queryKey: ['config'],
    queryFn: ({ signal }) => client.getConfig({ signal }),
    refetchInterval: often,
  });
}

export function useUnmatchedRules(): UseQueryResult<Answers['listUnmatchedRules']> {
  const client = useClient();
  return useQuery({ queryKey: ['unmatched-rules'], queryFn: ({ signal }) => client.listUnmatchedRules({ signal }) });
}

export function useCapabilities(): UseQueryResult<Answers['listCapabilities']> {
  const client = useClient();
  return useQuery({ queryKey: ['capabilities'], queryFn: ({ signal }) => client.listCapabilities({ signal }) });
}

export function useResources(): UseQueryResult<Answers['listResources']> {
  const client = useClient();
  return useQuery({ queryKey: ['resources'], queryFn: ({ signal }) => client.listResources({ signal }) });
}

export function usePrompts(): UseQueryResult<Answers['listPrompts']> {
  const client = useClient();
  return useQuery({ queryKey: ['prompts'], queryFn: ({ signal }) => client.listPrompts({ signal }) });
}

export function useAiClients(): UseQueryResult<Answers['listClients']> {
  const client = useClient();
  return useQuery({ queryKey: ['ai-clients'], queryFn: ({ signal }) => client.listClients({ signal }) });
}

export function useSources(): UseQueryResult<Answers['listSources']> {
  const client = useClient();
  return useQuery({ queryKey: ['sources'], queryFn: ({ signal }) => client.listSources({ signal }) });
}

/** The lock of definitions. `off` is asked for again with the stream of changes only, unless a page shows it. */
export function useLock(isShown = false): UseQueryResult<Answers['getLock']> {
  const client = useClient();
  const isAdmin = useIsAdmin();
  return useQuery({
    queryKey: ['lock'],
    enabled: isAdmin,
    queryFn: ({ signal }) => client.getLock({ signal }),
    refetchInterval: ({ state: { data } }) =>
      isShown || data?.servers.some(({ mode }) => mode !== 'off') === true ? often : false,
  });
}

/**
 * Differences from the lock and findings, asked for again when the lock has another revision.
 * @param pages of the differences that are read
 */
export function useDrift(server?: string, isWanted = true, pages = 1): UseQueryResult<Answers['getLockDrift']> {
  const client = useClient();
  const lock = useLock().data;
  return useQuery({
    queryKey: ['lock-drift', server ?? null, lock?.revision, lock?.mode, lock?.usable, pages],
    enabled: isWanted && lock !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const of = server === undefined ? {} : { server };
      const first = await client.getLockDrift(of, { signal });
      const drifts = [...first.drifts];
      for (let page = 1; page < pages && drifts.length < (first.total ?? 0); page += 1) {
        const next = await client.getLockDrift({ ...of, offset: drifts.length }, { signal });
        if (next.drifts.length === 0) break; // there are fewer by now
        drifts.push(...next.drifts);
      }
      return { ...first, drifts };
    },
  });
}
