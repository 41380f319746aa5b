// Reads an expression in the Common Expression Language: the operators, lists, maps, fields, indexes, calls and macros
// that conditions may have. Division, bytes, messages and times are not among them.
import { ConditionProblem } from './problem.js';
import { type Token, tokensOf } from './tokens.js';

export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '+' | '-' | '*';

interface Place {
  /** The places of its first character and behind its last one, UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export type Node = Place &
  (
    | { readonly op: 'value'; readonly value: string | number | boolean | null }
    | { readonly op: 'name'; readonly name: string }
    | { readonly op: 'field'; readonly of: Node; readonly name: string }
    | { readonly op: 'index'; readonly of: Node; readonly index: Node }
    | {
        readonly op: 'call';
        readonly name: string;
        readonly receiver: Node | undefined;
        readonly args: readonly Node[];
      }
    | { readonly op: '!' | 'minus'; readonly of: Node }
    | { readonly op: BinaryOperator; readonly left: Node; readonly right: Node }
    | { readonly op: 'if'; readonly condition: Node; readonly then: Node; readonly otherwise: Node }
    | { readonly op: 'list'; readonly items: readonly Node[] }
    | { readonly op: 'map'; readonly entries: readonly (readonly [Node, Node])[] }
  );

/** Levels of brackets and operators. */
const maxDepth = 60;

const strengths: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  ...{ '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3, in: 3 },
  ...{ '+': 4, '-': 4, '*': 5 },
};

/** @throws ConditionProblem */
export function parseCondition(text: string): Node {
  const parser = new Parser(tokensOf(text));
  const node = parser.expression();
  parser.expectEnd();
  return node;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** condition ? a : b */
  expression(): Node {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw this.#problem(`it is nested deeper than ${maxDepth} levels`);
    const condition = this.#binary(1);
    let node = condition;
    if (this.#take('?')) {
      const then = this.#binary(1);
      this.#expect(':');
      const otherwise = this.expression();
      node = { op: 'if', condition, then, otherwise, start: condition.start, end: otherwise.end };
    }
    this.#depth -= 1;
    return node;
  }

  expectEnd(): void {
    if (this.#next.kind !== 'end') throw this.#problem('an operator or the end was expected');
  }

  /** Operators of this strength and stronger ones, from left to right. */
  #binary(strength: number): Node {
    let left = this.#unary();
    for (;;) {
      const { text, kind } = this.#next;
      const isOperator = kind === 'mark' || (kind === 'name' && text === 'in');
      if (kind === 'mark' && (text === '/' || text === '%')) throw this.#problem(`${text} is not supported`);
      const own = isOperator ? strengths[text] : undefined;
      if (own === undefined || own < strength) return left;
      this.#at += 1;
      const right = this.#binary(own + 1);
      left = { op: text as BinaryOperator, left, right, start: left.start, end: right.end }; // the keys of strengths
    }
  }

  #unary(): Node {
    const { start } = this.#next;
    const op = this.#take('!') ? '!' : this.#take('-') ? 'minus' : undefined;
    if (op === undefined) return this.#postfix();
    this.#depth += 1;
    if (this.#depth > maxDepth) throw this.#problem(`it is nested deeper than ${maxDepth} levels`);
    const of = this.#unary();
    this.#depth -= 1;
    return { op, of, start, end: of.end };
  }

  #postfix(): Node {
    let node = this.#primary();
    for (;;) {
      const { start } = node;
      if (this.#take('.')) {
        const { text: name, kind, end } = this.#next;
        if (kind !== 'name') throw this.#problem('a name was expected');
        this.#at += 1;
        node = this.#take('(')
          ? { op: 'call', name, receiver: node, args: this.#list(')'), start, end: this.#end }
          : { op: 'field', of: node, name, start, end };
      } else if (this.#take('[')) {
        const index = this.expression();
        this.#expect(']');
        node = { op: 'index', of: node, index, start, end: this.#end };
      } else return node;
    }
  }

  #primary(): Node {
    const token = this.#next;
    const { start, end, text } = token;
    if (this.#take('(')) {
      const inner = this.expression();
      this.#expect(')');
      return inner;
    }
    if (this.#take('[')) return { op: 'list', items: this.#list(']'), start, end: this.#end };
    if (this.#take('{')) return { op: 'map', entries: this.#entries(), start, end: this.#end };
    if (token.kind === 'end' || token.kind === 'mark') throw this.#problem('a value was expected');
    this.#at += 1;
    if (token.kind === 'string') return { op: 'value', value: text, start, end };
    if (token.kind === 'number') return { op: 'value', value: numberOf(token), start, end };
    if (text === 'true' || text === 'false') return { op: 'value', value: text === 'true', start, end };
    if (text === 'null') return { op: 'value', value: null, start, end };
    if (text === 'in') throw new ConditionProblem('a value was expected', start);
    if (!this.#take('(')) return { op: 'name', name: text, start, end };
    return { op: 'call', name: text, receiver: undefined, args: this.#list(')'), start, end: this.#end };
  }

  /** Expressions with commas in between, and one behind them at most. */
  #list(closing: string): Node[] {
    const items: Node[] = [];
    while (!this.#take(closing)) {
      items.push(this.expression());
      if (this.#take(',')) continue;
      this.#expect(closing);
      break;
    }
    return items;
  }

  #entries(): (readonly [Node, Node])[] {
    const entries: (readonly [Node, Node])[] = [];
    while (!this.#take('}')) {
      const key = this.expression();
      this.#expect(':');
      entries.push([key, this.expression()]);
      if (this.#take(',')) continue;
      this.#expect('}');
      break;
    }
    return entries;
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token; // the last one is the end, which nothing takes
  }

  /** Behind the last token that was taken. */
  get #end(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  #take(mark: string): boolean {
    const { kind, text } = this.#next;
    const isThere = kind === 'mark' && text === mark;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) throw this.#problem(`"${mark}" was expected`);
  }

  #problem(message: string): ConditionProblem {
    return new ConditionProblem(message, this.#next.start);
  }
}

/** Numbers are those of JSON: an integer that they do not hold exactly would be compared with another one. */
function numberOf({ text, start }: Token): number {
  const value = Number(text.replace(/u$/i, ''));
  const isInteger = !/[.e]/i.test(text) || /^0x/i.test(text);
  if (!Number.isFinite(value) || (isInteger && !Number.isSafeInteger(value)))
    throw new ConditionProblem('the number is too large to be compared exactly', start);
  return value;
}
