// What a check found, and the whole of it as lines. Levels are words first; colours only repeat them.
import { styleText } from 'node:util';
import { toPlainJson, toPlainText } from '../output/plain-text.js';
import { type ProblemCode, pages } from './pages.js';

export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  /** Null where all is well. */
  readonly code: ProblemCode | null;
  /** What was looked at. */
  readonly subject: string;
  readonly message: string;
}

export function ok(subject: string, message: string): Finding {
  return { level: 'ok', code: null, subject, message };
}

export function warning(code: ProblemCode, subject: string, message: string): Finding {
  return { level: 'warning', code, subject, message };
}

export function problem(code: ProblemCode, subject: string, message: string): Finding {
  return { level: 'problem', code, subject, message };
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

export function toReport(findings: readonly Finding[], hasColour: boolean): string {
  const width = Math.max(...findings.map(({ subject }) => toPlainText(subject).length));
  const lines = findings.flatMap(({ level, code, subject, message }) => {
    const word = level.padEnd(7);
    const told = `${hasColour ? styleText(colours[level], word) : word}  ${toPlainText(subject).padEnd(width)}  ${toPlainText(message)}`;
    return code === null
      ? [told]
      : [told, `${' '.repeat(9)}${' '.repeat(width)}  next: ${pages[code].fixes[0]} (${code})`];
  });
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const problems = count('problem');
  const sum =
    problems === 0 && count('warning') === 0
      ? 'everything is fine'
      : `${problems} problems, ${count('warning')} warnings`;
  const hint = sum === 'everything is fine' ? '' : '; portico doctor --explain CODE says more';
  return `${lines.join('\n')}\n\n${sum}${hint}\n`;
}

export function toJson(findings: readonly Finding[]): string {
  const told = findings.map((finding) => ({
    ...finding,
    next: finding.code === null ? null : pages[finding.code].fixes[0],
  }));
  return `${toPlainJson({ ok: exitCodeOf(findings) === 0, findings: told }, 2)}\n`;
}

/** Warnings stop nobody. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ level }) => level === 'problem') ? 1 : 0;
}
