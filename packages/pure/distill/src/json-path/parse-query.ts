// Reads a JSONPath query. The library knows the syntax and the types of functions; here its tree becomes our data.
// Never evaluates anything: the library's own evaluator has no bound on what a query may cost.
import { compile, JSONPathError, type JSONPathQuery, jsonpath, TokenKind } from 'json-p3';
import type { FilterQuery, Operand, Operator, Query, Segment, Selector, Test } from './query.js';

export type ParsedQuery =
  | { readonly ok: true; readonly query: Query }
  | { readonly ok: false; readonly message: string };

/** In UTF-16 units. Keeps parsing short, and recursion over the tree within the stack. */
const maxQueryLength = 4_096;

/** @returns the query, or why it is invalid, as the rest of a sentence that starts with the field */
export function parseQuery(text: string): ParsedQuery {
  if (text.length > maxQueryLength) return invalid(`longer than ${maxQueryLength} characters (a fixed limit)`);
  try {
    return { ok: true, query: toQuery(compile(text)) };
  } catch (error) {
    if (error instanceof JSONPathError || error instanceof NotAQuery) return invalid(error.message);
    if (error instanceof RangeError) return invalid('nested too deeply'); // the parser recurses
    throw error;
  }
}

const invalid = (reason: string): ParsedQuery => ({
  ok: false,
  message: `is not a valid JSONPath query (RFC 9535): ${reason}`,
});

/** A query that the library accepts although the grammar of RFC 9535 does not. */
class NotAQuery extends Error {
  override readonly name = 'NotAQuery';
}

const { expressions, selectors } = jsonpath;
type Expression = jsonpath.expressions.FilterExpression;

function toQuery(query: JSONPathQuery): Query {
  return { segments: query.segments.map(toSegment), isSingular: query.singularQuery() };
}

function toSegment(segment: JSONPathQuery['segments'][number]): Segment {
  return {
    isDescendant: segment.token.kind === TokenKind.DDOT,
    selectors: segment.selectors.map(toSelector),
  };
}

function toSelector(selector: jsonpath.JSONPathSelector): Selector {
  if (selector instanceof selectors.NameSelector) return { kind: 'name', name: selector.name };
  if (selector instanceof selectors.IndexSelector) return { kind: 'index', index: selector.index };
  if (selector instanceof selectors.WildcardSelector) return { kind: 'wildcard' };
  if (selector instanceof selectors.FilterSelector) return { kind: 'filter', test: toTest(selector.expression) };
  if (selector instanceof selectors.SliceSelector) {
    return { kind: 'slice', start: selector.start, end: selector.stop, step: selector.step ?? 1 };
  }
  throw new NotAQuery(`unknown selector ${selector.toString()}`);
}

function toTest(expression: Expression): Test {
  if (expression instanceof expressions.LogicalExpression) return toTest(expression.expression);
  if (expression instanceof expressions.PrefixExpression) return { kind: 'not', test: toTest(expression.right) };
  if (expression instanceof expressions.FilterQuery) return { kind: 'exists', query: toFilterQuery(expression) };
  if (expression instanceof expressions.InfixExpression) return toInfixTest(expression);
  if (expression instanceof expressions.FunctionExtension) {
    const { name, args } = expression;
    if (name === 'match' || name === 'search') {
      return { kind: name, text: toOperand(args[0]), pattern: toOperand(args[1]) };
    }
    throw new NotAQuery(`the result of ${name}() must be compared`);
  }
  throw new NotAQuery(`${expression.toString()} must be compared`);
}

function toInfixTest({ left, operator, right }: jsonpath.expressions.InfixExpression): Test {
  if (operator === '&&' || operator === '||') {
    return { kind: operator === '&&' ? 'and' : 'or', left: toTest(left), right: toTest(right) };
  }
  // The operators that are left are the six comparisons.
  return { kind: 'compare', left: toOperand(left), operator: operator as Operator, right: toOperand(right) };
}

function toOperand(expression: Expression | undefined): Operand {
  if (expression instanceof expressions.NullLiteral) return { kind: 'literal', value: null };
  if (
    expression instanceof expressions.BooleanLiteral ||
    expression instanceof expressions.NumberLiteral ||
    expression instanceof expressions.StringLiteral
  ) {
    return { kind: 'literal', value: expression.value };
  }
  if (expression instanceof expressions.FilterQuery) return { kind: 'query', query: toFilterQuery(expression) };
  if (expression instanceof expressions.FunctionExtension) {
    const { name, args } = expression;
    if (name === 'length') return { kind: 'length', of: toOperand(args[0]) };
    if ((name === 'count' || name === 'value') && args[0] instanceof expressions.FilterQuery) {
      return { kind: name, query: toFilterQuery(args[0]) };
    }
  }
  throw new NotAQuery(`${expression?.toString()} cannot be compared`);
}

function toFilterQuery(expression: jsonpath.expressions.FilterQuery): FilterQuery {
  return { ...toQuery(expression.path), isRelative: expression instanceof expressions.RelativeQuery };
}
