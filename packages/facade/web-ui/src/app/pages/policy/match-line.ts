// What a pattern matches, in a line.
import type { Answers } from '@portico/client';
import { toVisible } from '../../lib/visible.js';

const named = 3;

/** `Matches 4: a, b, c and 1 more. 2 verdicts change.` */
export function matchLine({ matches, changed }: Pick<Answers['previewPolicy'], 'matches' | 'changed'>): string {
  const { total = 0, items = [] } = matches ?? {};
  if (total === 0) return `Matches nothing that is listed.${changesOf(changed.total)}`;
  const first = items.slice(0, named).map(({ id }) => toVisible(id));
  const more = total > first.length ? ` and ${total - first.length} more` : '';
  return `Matches ${total}: ${first.join(', ')}${more}.${changesOf(changed.total)}`;
}

function changesOf(total: number): string {
  if (total === 0) return ' No verdict changes.';
  return total === 1 ? ' 1 verdict changes.' : ` ${total} verdicts change.`;
}

/** `4 matches, 12 hits`; empty where nothing is known. */
export function metLine(rule: Answers['listPolicyRules']['rules'][number] | undefined): string {
  const { matches = null, hits = null } = rule ?? {};
  const parts = [
    matches === null ? [] : [`${matches} ${matches === 1 ? 'match' : 'matches'}`],
    hits === null ? [] : [`${hits} ${hits === 1 ? 'hit' : 'hits'}`],
  ];
  return parts.flat().join(', ');
}
