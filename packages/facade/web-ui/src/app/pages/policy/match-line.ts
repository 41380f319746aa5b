// The matches of a pattern, in a line.
import type { Answers } from '@portico/client';
import { plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';

const named = 3;

/** The use of the verdicts: `enforced` decides, `trial` would once it is enforced. */
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

type Past = NonNullable<Answers['previewPolicy']['past']>;

/** `Of 120 calls since yesterday, 14 would have met another verdict.` */
export function pastLine({ calls, changed, complete, undetermined }: Past): string {
  if (calls === 0) return 'There were no calls since yesterday to try it against.';
  const count = changed.items.reduce((sum, item) => sum + item.calls, 0);
  const least = changed.total > changed.items.length ? 'at least ' : '';
  const met = count === 0 ? 'none would have met another verdict' : `${least}${count} would have met another verdict`;
  const unknown = undetermined === 0 ? '' : ` ${undetermined} cannot be judged.`;
  return `Of ${complete ? '' : 'the last '}${plural(calls, 'call')} since yesterday, ${met}.${unknown}`;
}
