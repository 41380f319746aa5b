// The policy verdicts on everything that is listed, for a profile and a role.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useConfig } from '../../data/queries.js';
import { useClient, useIsAdmin } from '../../data/session.js';
import type { Effect, Verdicts } from './shapes.js';

export const effects: readonly Effect[] = ['runs', 'waits_for_approval', 'denied', 'not_found'];

/** Words of a state, and how it looks. */
export const effectWords: Readonly<Record<Effect, readonly [word: string, tone: 'good' | 'warn' | 'bad' | 'neutral']>> =
  {
    runs: ['allowed', 'good'],
    waits_for_approval: ['asks', 'warn'],
    denied: ['denied', 'bad'],
    not_found: ['not offered', 'neutral'],
  };

export interface Viewer {
  readonly profile: string;
  readonly role: string;
}

const freshMs = 60_000;

/** Undefined until they are known, and where the role may not read them. */
export function useVerdicts({ profile, role }: Viewer): Verdicts | undefined {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const config = useConfig().data?.config;
  const rules = JSON.stringify([config?.policy, config?.profiles, config?.rbac]);
  const { data } = useQuery({
    // They are judged again where the rules have changed, and not with every change of anything.
    queryKey: ['verdicts', profile, role, rules],
    staleTime: 'static',
    gcTime: 0,
    refetchInterval: freshMs,
    enabled: isAdmin && config !== undefined,
    queryFn: ({ signal }) =>
      client.listPolicyVerdicts(
        { ...(profile === '' ? {} : { profile }), ...(role === '' ? {} : { role }) },
        { signal },
      ),
  });
  return useMemo(
    () =>
      data && {
        counts: data.counts,
        byId: new Map(data.verdicts.map((each) => [each.id, each])),
        tools: data.verdicts.filter(({ kind }) => kind === 'tool'),
      },
    [data],
  );
}

export interface Viewers {
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
}

/** Through whose eyes the catalog can be looked at. */
export function useViewers(): Viewers {
  const { data } = useConfig();
  const rbac = data?.config.rbac;
  const roles = typeof rbac === 'object' && rbac !== null && 'roles' in rbac ? rbac.roles : undefined;
  return {
    profiles: Object.keys(data?.profiles ?? {}),
    roles: typeof roles === 'object' && roles !== null ? Object.keys(roles) : [],
  };
}
