// Evaluates a JSONPath query (RFC 9535) within a budget of steps.
// Never follows a prototype, and never recurses over the document, only over the query.
import {
  exactNumbers,
  exactTextOf,
  gatherExact,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setExact,
  sizeUpTo,
} from '@portico/contracts';
import { LimitExceeded } from '../limit-exceeded.js';
import { type Budget, createBudget } from './budget.js';
import { type Comparable, isTrue } from './compare.js';
import { createPatterns, type Patterns } from './patterns.js';
import type { FilterQuery, Operand, Query, Segment, Selector, Test } from './query.js';

/** Maximum size of all matches together, in characters and nodes: one value can be matched many times. */
const maxMatchedSize = 32 * 1024 * 1024;

interface Run {
  readonly document: JsonValue;
  readonly budget: Budget;
  readonly patterns: Patterns;
}

/**
 * The values that match, in document order as far as the RFC has one; parts of the document, not copies. Numbers keep the
 * texts that they came as.
 * @throws LimitExceeded when the query takes too many steps or its matches are too large together
 */
export function runQuery(query: Query, document: JsonValue): readonly JsonValue[] {
  const budget = createBudget();
  const matches = select({ document, budget, patterns: createPatterns(budget) }, query, document);
  if (!query.isSingular) checkSize(matches);
  return gatherExact(matches, [], matches);
}

function select(run: Run, query: Query, from: JsonValue): readonly JsonValue[] {
  let values: readonly JsonValue[] = [from];
  for (const segment of query.segments) values = followSegment(run, segment, values);
  return values;
}

function followSegment(run: Run, segment: Segment, values: readonly JsonValue[]): readonly JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (!segment.isDescendant) applySelectors(run, segment.selectors, value, found);
    else for (const each of descendants(run, value)) applySelectors(run, segment.selectors, each, found);
  }
  return found;
}

/** The value itself and everything in it, parents before children, children in order. */
function* descendants(run: Run, value: JsonValue): Generator<JsonValue> {
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    const children = childrenOf(run, next);
    for (let at = children.length - 1; at >= 0; at -= 1) {
      pending.push(children[at]!); // `at` is below the length, and children are never undefined
    }
  }
}

function childrenOf({ budget }: Run, value: JsonValue): readonly JsonValue[] {
  const children = listChildren(value);
  budget.spend(1 + children.length);
  return children;
}

function listChildren(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((child) => child !== undefined) : [];
}

function applySelectors(run: Run, selectors: readonly Selector[], value: JsonValue, found: JsonValue[]): void {
  for (const selector of selectors) {
    run.budget.spend(1);
    applySelector(run, selector, value, found);
  }
}

function applySelector(run: Run, selector: Selector, value: JsonValue, found: JsonValue[]): void {
  switch (selector.kind) {
    case 'name':
      if (isJsonObject(value)) add(found, value, selector.name, ownValue(value, selector.name));
      return;
    case 'index':
      if (Array.isArray(value)) add(found, value, toIndex(selector.index, value.length), value.at(selector.index));
      return;
    case 'slice':
      if (Array.isArray(value)) for (const at of sliceOf(run, value, selector)) add(found, value, at, value[at]);
      return;
    case 'wildcard':
      addChildren(run, value, found);
      return;
    case 'filter':
      addChildren(run, value, found, selector.test);
      return;
  }
}

/** A number is found with the text that it came as, where the container has one. */
function add(found: JsonValue[], from: object, key: string | number, child: JsonValue | undefined): void {
  if (child === undefined) return;
  const text = typeof child === 'number' ? exactTextOf(from, key, child) : undefined;
  if (text !== undefined) setExact(found, found.length, text);
  found.push(child);
}

function addChildren(run: Run, value: JsonValue, found: JsonValue[], test?: Test): void {
  const children = childrenOf(run, value);
  const keys = keysOfExact(value);
  for (let at = 0; at < children.length; at += 1) {
    const child = children[at]!; // `at` is below the length, and children are never undefined
    if (test !== undefined && !holds(run, test, child)) continue;
    if (keys === undefined) found.push(child);
    else add(found, value as object, keys[at] ?? at, child); // only a container has such keys
  }
}

/** The keys of the children, in their order, of a container in which numbers keep their texts. */
function keysOfExact(value: JsonValue): readonly (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null || !(exactNumbers in value)) return undefined;
  if (Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, child]) => (child === undefined ? [] : [key]));
}

const toIndex = (index: number, length: number) => (index < 0 ? length + index : index);

function ownValue(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Indexes of the items (RFC 9535, section 2.3.4.2.2). */
function* sliceOf(
  { budget }: Run,
  items: readonly JsonValue[],
  { start, end, step }: Selector & { kind: 'slice' },
): Generator<number> {
  if (step === 0) return;
  const count = items.length;
  const [low, high] = step > 0 ? [0, count] : [-1, count - 1];
  const toBound = (index: number) => Math.min(Math.max(index < 0 ? count + index : index, low), high);
  const first = start === undefined ? (step > 0 ? 0 : count - 1) : toBound(start);
  const last = end === undefined ? (step > 0 ? count : -1) : toBound(end);
  for (let at = first; step > 0 ? at < last : at > last; at += step) {
    budget.spend(1);
    yield at; // both bounds are inside the array
  }
}

function holds(run: Run, test: Test, node: JsonValue): boolean {
  run.budget.spend(1);
  switch (test.kind) {
    case 'and':
      return holds(run, test.left, node) && holds(run, test.right, node);
    case 'or':
      return holds(run, test.left, node) || holds(run, test.right, node);
    case 'not':
      return !holds(run, test.test, node);
    case 'exists':
      return selectInFilter(run, test.query, node).length > 0;
    case 'compare':
      return isTrue(evaluate(run, test.left, node), test.operator, evaluate(run, test.right, node), run.budget);
    case 'match':
    case 'search': {
      const text = evaluate(run, test.text, node);
      const pattern = evaluate(run, test.pattern, node);
      if (typeof text !== 'string' || typeof pattern !== 'string') return false;
      return test.kind === 'match' ? run.patterns.isMatch(text, pattern) : run.patterns.isFound(text, pattern);
    }
  }
}

function evaluate(run: Run, operand: Operand, node: JsonValue): Comparable {
  run.budget.spend(1);
  switch (operand.kind) {
    case 'literal':
      return operand.value;
    case 'query':
      return selectInFilter(run, operand.query, node)[0]; // singular, or it would not be an operand
    case 'length':
      return lengthOf(run, evaluate(run, operand.of, node));
    case 'count':
      return selectInFilter(run, operand.query, node).length;
    case 'value': {
      const values = selectInFilter(run, operand.query, node);
      return values.length === 1 ? values[0] : undefined;
    }
  }
}

function selectInFilter(run: Run, query: FilterQuery, node: JsonValue): readonly JsonValue[] {
  return select(run, query, query.isRelative ? node : run.document);
}

/** Characters, not UTF-16 units (RFC 9535, section 2.4.4). */
function lengthOf(run: Run, value: Comparable): number | undefined {
  if (typeof value === 'string') {
    run.budget.spend(value.length);
    return value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  }
  return isJsonObject(value) || Array.isArray(value) ? childrenOf(run, value).length : undefined;
}

function checkSize(values: readonly JsonValue[]): void {
  const size = sizeUpTo(values, maxMatchedSize);
  if (size > maxMatchedSize)
    throw new LimitExceeded('selects more than 32 MiB in all (a fixed limit); use a narrower query');
}
