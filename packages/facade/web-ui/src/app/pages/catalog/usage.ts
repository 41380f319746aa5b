// How often each capability was called in the last day, and the address of the records that a count is of.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient, useIsAdmin } from '../../data/session.js';
import type { DayUsage } from './shapes.js';

const dayMs = 86_400_000;
/** Counts of a day are read again after this time, and not with every change. */
const freshMs = 60_000;

/** Undefined until it is known, and where the role may not read the log. @param server counts calls of this one only */
export function useDayUsage(server?: string): DayUsage | undefined {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const { data } = useQuery({
    queryKey: ['usage', server ?? null],
    staleTime: 'static',
    gcTime: 0,
    refetchInterval: freshMs,
    enabled: isAdmin,
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - dayMs).toISOString();
      const of = server === undefined ? {} : { server_id: server };
      const { capabilities } = await client.getAuditUsage({ start_time: since, ...of }, { signal });
      return { since, capabilities };
    },
  });
  return useMemo(
    () => data && { since: data.since, byId: new Map(data.capabilities.map((each) => [each.capability_id, each])) },
    [data],
  );
}

export type Counted = 'calls' | 'failed' | 'refused';

export type EntryKind = 'tools' | 'resources' | 'prompts';

const callTypes: Readonly<Record<EntryKind, string>> = {
  tools: 'tool_call',
  resources: 'resource_read',
  prompts: 'prompt_get',
};

/** The records that a count is of. */
export function recordsPath(kind: EntryKind, id: string, counted: Counted, since: string): string {
  const type = counted === 'refused' ? 'policy_violation' : callTypes[kind];
  const status = counted === 'failed' ? { status: 'failed' } : {};
  return `/audit?${new URLSearchParams({ capability_id: id, event_type: type, ...status, start_time: since })}`;
}
