// A JSONPath query (RFC 9535) as data: what the evaluator needs and nothing of the parser that read it.
// Never holds a query that the RFC calls ill-typed.

export interface Query {
  readonly segments: readonly Segment[];
  /** Only name and index selectors in child segments (RFC 9535, section 2.3.5.1): at most one match. */
  readonly isSingular: boolean;
}

export interface Segment {
  readonly isDescendant: boolean;
  readonly selectors: readonly Selector[];
}

export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice';
      readonly start: number | undefined;
      readonly end: number | undefined;
      readonly step: number;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly test: Test };

/** A condition on a node, true or false (LogicalType). */
export type Test =
  | { readonly kind: 'and' | 'or'; readonly left: Test; readonly right: Test }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'compare'; readonly left: Operand; readonly operator: Operator; readonly right: Operand }
  | { readonly kind: 'exists'; readonly query: FilterQuery }
  | { readonly kind: 'match' | 'search'; readonly text: Operand; readonly pattern: Operand };

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A value or nothing (ValueType). */
export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'query'; readonly query: FilterQuery }
  | { readonly kind: 'length'; readonly of: Operand }
  | { readonly kind: 'count' | 'value'; readonly query: FilterQuery };

/** A query inside a filter: from the node under test (`@`) or from the document (`$`). */
export interface FilterQuery extends Query {
  readonly isRelative: boolean;
}
