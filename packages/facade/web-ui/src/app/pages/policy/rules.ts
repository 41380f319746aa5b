// One change of one list of rules, made on the list as it is now: what others did in the meantime stays.

export type PatternList = 'allow' | 'deny' | 'require_approval';
export type RuleList = PatternList | 'redact_keys';

/** `from` null adds, `to` null removes. */
export interface RuleChange {
  readonly list: RuleList;
  readonly from: string | null;
  readonly to: string | null;
}

/** The list after the change; a text that says why there is none. */
export function changeRules(rules: readonly string[], { from, to }: RuleChange): readonly string[] | string {
  if (to !== null && to.trim() === '') return 'Enter a pattern.';
  if (to !== null && to !== from && rules.includes(to)) return `"${to}" is on the list already.`;
  if (from === null) return to === null ? rules : [...rules, to];
  const at = rules.indexOf(from);
  if (at === -1) return `"${from}" is not on the list any more; another user or program has changed it.`;
  return to === null ? rules.toSpliced(at, 1) : rules.with(at, to);
}

type RuleLists = Readonly<Record<PatternList, readonly string[]>>;

/**
 * The lists as they would be in force with those on trial and one rule more. Rules that deny or hold are added to those
 * in force; `allow` on trial takes the place of the one in force, since it is there to narrow it.
 */
export function trialLists(
  inForce: RuleLists,
  shadow: Partial<RuleLists> | undefined,
  { list, pattern }: { readonly list: PatternList; readonly pattern: string },
): Partial<Record<PatternList, string[]>> {
  const onTrial = [...(shadow?.[list] ?? []), pattern];
  return { [list]: [...new Set(list === 'allow' ? onTrial : [...inForce[list], ...onTrial])] };
}
