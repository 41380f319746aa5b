// Differences from the lock as a person reviews them. Loaded when they are shown: it takes a library.
import {
  type DriftView,
  definitionTitle,
  driftSentences,
  findingSentences,
  type LockDrift,
  toPlainText,
  worstFindingsFirst,
} from '@portico/contracts';
import { type DiffRow, wordDiffLines } from '@portico/contracts/word-diff';
import type { Output } from '../output/output.js';

/** Lines of one change that are shown; `--json` has all of it. */
const maxLines = 60;

export function showDrift(output: Output, { drifts, findings, fault, usable, verdict }: Omit<LockDrift, 'ok'>): void {
  if (!usable) output.line(`the lock cannot be used: ${toPlainText(fault ?? '')}`);
  for (const drift of drifts) showOne(output, drift);
  for (const finding of worstFindingsFirst(findings)) {
    const { rule, evidence } = finding;
    output.line(toPlainText(`finding ${rule}: ${definitionTitle(finding)} ${findingSentences[rule]}: ${evidence}`));
  }
  if (usable) output.line(summaryOf(drifts.length, verdict));
}

const verdicts: Readonly<Record<LockDrift['verdict'], string>> = {
  0: 'the same as the lock',
  2: 'not comparable',
  10: 'needs no review',
  11: 'to be reviewed: portico lock accept',
  12: 'dangerous: review each before portico lock accept',
};

export function summaryOf(count: number, verdict: LockDrift['verdict']): string {
  return count === 0
    ? verdicts[verdict]
    : `${count} ${count === 1 ? 'difference' : 'differences'}, ${verdicts[verdict]}`;
}

function showOne(output: Output, drift: DriftView): void {
  const { id, class: found, held, former_name: former, changes } = drift;
  const renamed = former === undefined ? '' : ` (was ${former})`;
  output.line(toPlainText(`${found}  ${id}${renamed}${held ? '  held' : ''}`));
  output.painted(output.paint.dim(`  ${driftSentences[found]}`));
  for (const { field, before, after, truncated } of changes) {
    output.line(toPlainText(`  ${field}:`));
    const rows = wordDiffLines(before, after);
    for (const row of rows.slice(0, maxLines)) output.painted(`  ${lineOf(output, row)}`);
    if (rows.length > maxLines) output.line(`    … ${rows.length - maxLines} more lines (--json has them)`);
    if (truncated === true) output.line('    … the text is longer than is shown');
  }
}

/** Words as `git diff --word-diff` marks them, whole lines by a sign, so that both are also read without colours. */
function lineOf({ paint }: Output, row: DiffRow): string {
  if (row.kind === 'gap') return paint.dim(`  … ${row.lines} unchanged ${row.lines === 1 ? 'line' : 'lines'}`);
  const [first, ...others] = row.parts;
  if (first !== undefined && others.length === 0 && first.kind !== 'same') {
    const line = `${first.kind === 'added' ? '+' : '-'} ${toShown(first.text)}`;
    return first.kind === 'added' ? paint.green(line) : paint.red(line);
  }
  const words = row.parts.map(({ kind, text }) => {
    const shown = toShown(text);
    return kind === 'same' ? shown : kind === 'added' ? paint.green(`{+${shown}+}`) : paint.red(`[-${shown}-]`);
  });
  return `  ${words.join('')}`;
}

function toShown(text: string): string {
  return toPlainText(text).replace(joiners, toEscape);
}

/** Other texts show them, since scripts and emoji need them; a review shows that they are there. */
const joiners = /[\u200c\u200d]/g;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`;
}
