// How much of the page Safety waits for a person: held definitions, and budgets that are used up.
import type { Answers } from '@portico/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { isUsedUp } from '../lib/budget-words.js';
import { often, useConfig, useLock } from './queries.js';
import { useClient, useIsAdmin } from './session.js';

/** On other pages the count may be this old; their accounts may be many. */
const seldom = 20 * often;

export function useBudgets(isShown = false): UseQueryResult<Answers['listBudgets']> {
  const client = useClient();
  const isAdmin = useIsAdmin();
  const config = useConfig().data?.config;
  const hasBudgets = Array.isArray(config?.budgets) && config.budgets.length > 0;
  return useQuery({
    queryKey: ['budgets'],
    enabled: isAdmin && (isShown || hasBudgets),
    queryFn: ({ signal }) => client.listBudgets({ signal }),
    refetchInterval: isShown ? often : seldom,
  });
}

export function useHeldCount(): number {
  const servers = useLock().data?.servers ?? [];
  return servers.reduce((sum, { held }) => sum + held, 0);
}

/** Budgets with an account whose further calls are refused, or wait for a person. */
export function useUsedUpCount(): number {
  const budgets = useBudgets().data?.budgets ?? [];
  return budgets.filter(isUsedUp).length;
}

export function useSafetyCount(): number {
  return useHeldCount() + useUsedUpCount();
}
