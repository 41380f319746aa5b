// The words of an expression in the Common Expression Language, with their places.
// https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
import { ConditionProblem } from './problem.js';

export interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'mark' | 'end';
  /** As written; for a string, its value. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const space = /(?:\s|\/\/[^\n]*)*/y;
const numberForm = /(?:0x[\da-f]+|\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+|\d+|\.\d+(?:e[+-]?\d+)?)u?/iy;
const nameForm = /[a-z_]\w*/iy;
const markForm = /&&|\|\||[=!<>]=|[-+*/%<>!?:,.()[\]{}]/y;
const rawForm = /r(?:"([^"\n]*)"|'([^'\n]*)')/iy;
const stringForm = /"((?:[^"\\\n]|\\[^\n])*)"|'((?:[^'\\\n]|\\[^\n])*)'/y;
const escapeForm = /\\(?:u([\da-f]{4})|U([\da-f]{8})|x([\da-f]{2})|([abfnrtv\\?"'`])|([\s\S]))/gi;
const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** @throws ConditionProblem */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skip(text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skip(text, token.end);
  }
  return [...tokens, { kind: 'end', text: '', start: text.length, end: text.length }];
}

function skip(text: string, at: number): number {
  return at + (read(space, text, at)?.[0].length ?? 0);
}

function tokenAt(text: string, start: number): Token {
  const raw = read(rawForm, text, start);
  if (raw !== null) return { kind: 'string', text: raw[1] ?? raw[2] ?? '', start, end: start + raw[0].length };
  const quoted = read(stringForm, text, start);
  if (quoted !== null) {
    const value = unescaped(quoted[1] ?? quoted[2] ?? '', start);
    return { kind: 'string', text: value, start, end: start + quoted[0].length };
  }
  for (const [kind, form] of [
    ['number', numberForm] as const,
    ['name', nameForm] as const,
    ['mark', markForm] as const,
  ]) {
    const [found] = read(form, text, start) ?? [];
    if (found !== undefined) return { kind, text: found, start, end: start + found.length };
  }
  const unexpected: Readonly<Record<string, string>> = {
    ...{ '"': 'the text is not closed', "'": 'the text is not closed' },
    ...{
      '=': 'values are compared with ==',
      '&': 'conditions are joined with &&',
      '|': 'conditions are joined with ||',
    },
  };
  throw new ConditionProblem(unexpected[text.charAt(start)] ?? 'an unexpected character', start);
}

function read(form: RegExp, text: string, at: number): RegExpExecArray | null {
  form.lastIndex = at;
  return form.exec(text);
}

function unescaped(text: string, start: number): string {
  return text.replace(escapeForm, (whole, unit, point, byte, letter, other) => {
    const code = Number.parseInt(unit ?? point ?? byte ?? '', 16);
    if (other !== undefined || code > 0x10ffff) throw new ConditionProblem(`the escape ${whole} is not known`, start);
    return letter === undefined ? String.fromCodePoint(code) : (escapes[letter] ?? letter);
  });
}
