// The findings of a check, and the report as lines. Levels are words first; colours only repeat them.
import { styleText } from 'node:util';
import { count } from '../output/describe.js';
import { toPlainJson, toPlainText } from '../output/plain-text.js';
import { type ProblemCode, pages } from './pages.js';

export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  /** Null for a successful check. */
  readonly code: ProblemCode | null;
  /** The file, server or client that was checked. */
  readonly subject: string;
  readonly message: string;
  /** Lines below it, such as the last ones of a log. */
  readonly details?: readonly string[];
  /** In place of the first step of its page. */
  readonly next?: string;
  /** The values of `ID` and `FILE` in the commands of its page. */
  readonly names?: Readonly<Partial<Record<'ID' | 'FILE', string>>>;
}

type More = Pick<Finding, 'details' | 'next' | 'names'>;

export function ok(subject: string, message: string): Finding {
  return { level: 'ok', code: null, subject, message };
}

export function warning(code: ProblemCode, subject: string, message: string, more: More = {}): Finding {
  return { level: 'warning', code, subject, message, ...more };
}

export function problem(code: ProblemCode, subject: string, message: string, more: More = {}): Finding {
  return { level: 'problem', code, subject, message, ...more };
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

const order = ['problem', 'warning', 'ok'] as const;

/** Problems first, then warnings; in each the order in which things were looked at. */
export function toReport(findings: readonly Finding[], hasColour: boolean): string {
  const width = Math.max(...findings.map(({ subject }) => toPlainText(subject).length));
  const indent = ' '.repeat(9 + width + 2);
  const sorted = order.flatMap((level) => findings.filter((finding) => finding.level === level));
  const lines = sorted.flatMap((finding) => {
    const { level, code, subject, message, details = [] } = finding;
    const word = level.padEnd(7);
    const shown = hasColour ? styleText(colours[level], word) : word;
    return [
      `${shown}  ${toPlainText(subject).padEnd(width)}  ${toPlainText(message)}`,
      ...details.map((detail) => `${indent}| ${toPlainText(detail)}`),
      ...(code === null ? [] : [`${indent}next: ${toPlainText(nextOf(finding) ?? '')} (${code})`]),
    ];
  });
  const of = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const isFine = of('problem') === 0 && of('warning') === 0;
  const sum = isFine ? 'everything is fine' : `${count(of('problem'), 'problem')}, ${count(of('warning'), 'warning')}`;
  const hint = isFine ? '' : '; portico doctor --explain CODE says more';
  return `${lines.join('\n')}\n\n${sum}${hint}\n`;
}

/** With the names of what was found in the commands. */
function nextOf({ code, next, names = {} }: Finding): string | null {
  if (code === null) return null;
  return (next ?? pages[code].fixes[0]).replace(/\b(ID|FILE)\b/g, (name) => names[name as 'ID' | 'FILE'] ?? name);
}

export function toJson(findings: readonly Finding[]): string {
  const reported = findings.map((finding) => {
    const { level, code, subject, message, details } = finding;
    return { level, code, subject, message, ...(details === undefined ? {} : { details }), next: nextOf(finding) };
  });
  return `${toPlainJson({ ok: exitCodeOf(findings) === 0, findings: reported }, 2)}\n`;
}

/** Warnings do not fail the command. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ level }) => level === 'problem') ? 1 : 0;
}
