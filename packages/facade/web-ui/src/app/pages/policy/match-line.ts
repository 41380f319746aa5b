// What a pattern matches, in a line.
import type { Answers } from '@portico/client';
import { toVisible } from '../../lib/visible.js';

const named = 3;

/** What happens to the verdicts: `enforced` decides, `trial` would once it is enforced. */
type Mode = 'enforced' | 'trial';

/** `Matches 4: a, b, c and 1 more. 2 verdicts change.` */
export function matchLine(
  { matches, changed }: Pick<Answers['previewPolicy'], 'matches' | 'changed'>,
  mode: Mode = 'enforced',
): string {
  const { total = 0, items = [] } = matches ?? {};
  if (total === 0) return `Matches nothing that is listed.${changesOf(changed.total, mode)}`;
  const first = items.slice(0, named).map(({ id }) => toVisible(id));
  const more = total > first.length ? ` and ${total - first.length} more` : '';
  return `Matches ${total}: ${first.join(', ')}${more}.${changesOf(changed.total, mode)}`;
}

function changesOf(total: number, mode: Mode): string {
  const count = total === 0 ? 'No' : total;
  if (mode === 'trial') return ` ${count} ${total > 1 ? 'verdicts' : 'verdict'} would change.`;
  return total > 1 ? ` ${count} verdicts change.` : ` ${count} verdict changes.`;
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
