// Differences from the lock as a person reviews them.
import { type DriftView, type LockDrift, toPlainLines, toPlainText } from '@portico/contracts';
import type { Output } from '../output/output.js';

/** Lines of one text that are shown; `--json` has all of it. */
const maxLines = 40;

export function showDrift(output: Output, { drifts, findings, fault, usable, verdict }: Omit<LockDrift, 'ok'>): void {
  if (!usable) output.line(`the lock cannot be used: ${toPlainText(fault ?? '')}`);
  for (const drift of drifts) showOne(output, drift);
  for (const { rule, kind, server_id, name, evidence } of findings) {
    const id = kind === 'server' ? server_id : `${server_id}.${name}`;
    output.line(toPlainText(`finding ${rule} in ${kind} ${id}: ${evidence}`));
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

function showOne(output: Output, { id, class: found, held, former_name: former, changes }: DriftView): void {
  const renamed = former === undefined ? '' : ` (was ${former})`;
  output.line(toPlainText(`${found}  ${id}${renamed}${held ? '  held' : ''}`));
  for (const { field, before, after } of changes) {
    output.line(toPlainText(`  ${field}:`));
    showText(output, '-', before);
    showText(output, '+', after);
  }
}

function showText(output: Output, sign: string, text: string | null): void {
  if (text === null) return;
  const lines = toPlainLines(text);
  for (const line of lines.slice(0, maxLines)) output.line(`  ${sign} ${line}`);
  if (lines.length > maxLines) output.line(`  ${sign} … ${lines.length - maxLines} more lines (--json has them)`);
}
