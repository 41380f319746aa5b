// The data that the policy page reads about the rules: what each has met, and what a pattern matches while it is typed.
import type { Answers } from '@portico/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { parseTime } from '../audit/time-words.js';
import type { PatternList } from './rules.js';

/** After the last key: a pattern that is still being typed is not asked for. */
const pauseMs = 300;

export function usePolicyRules(): UseQueryResult<Answers['listPolicyRules']> {
  const client = useClient();
  const queryFn = ({ signal }: { readonly signal: AbortSignal }) => client.listPolicyRules({ signal });
  return useQuery({ queryKey: ['policy-rules'], queryFn, refetchInterval: often });
}

type RuleLists = Partial<Record<PatternList, string[]>>;

/**
 * Undefined while nothing is typed, and until it is known. Compares the calls since yesterday as well.
 * @param listsWith the lists that are compared with those in force; with the pattern added to its list by default
 */
export function usePreview(
  pattern: string,
  list: PatternList | undefined,
  listsWith?: (pattern: string, list: PatternList) => RuleLists,
): Answers['previewPolicy'] | undefined {
  const client = useClient();
  const text = usePaused(pattern.trim());
  const policy = list === undefined || text === '' ? undefined : listsWith?.(text, list);
  const { data } = useQuery({
    queryKey: ['policy-preview', list, text, policy ?? null],
    queryFn: ({ signal }) =>
      client.previewPolicy(
        {
          pattern: text,
          list: list ?? null,
          policy: policy ?? null,
          since: parseTime('yesterday', Date.now()) ?? null,
        },
        { signal },
      ),
    enabled: list !== undefined && text !== '',
  });
  return text === pattern.trim() && text !== '' ? data : undefined;
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
