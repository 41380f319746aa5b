// The rule that `?at=` of the address names, such as `policy.deny[0]`: a link to it scrolls there and marks it.
import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** Attributes of the row of a rule. */
export function useMarked(): (rule: { readonly path: string } | undefined) => object {
  const [search] = useSearchParams();
  const at = search.get('at');
  const scrollTo = useCallback((row: HTMLLIElement | null) => row?.scrollIntoView({ block: 'center' }), []);
  return (rule) => (at !== null && rule?.path === at ? { className: 'is-marked', ref: scrollTo } : {});
}
