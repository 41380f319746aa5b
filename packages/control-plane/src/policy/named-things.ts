// Everything that the servers list, allowed or not, by every name that rules are tried on.
import { compilePatterns } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import type { PlaneState } from '../state/plane-state.js';
import type { Names } from '../state/policy-layers.js';
import { namesOf } from '../state/visibility.js';

export interface NamedThing {
  readonly kind: CallKind;
  readonly id: string;
  readonly names: Names;
}

/** In the order of the servers, tools first. */
export function* namedThings(state: PlaneState): Generator<NamedThing> {
  for (const { capabilities, resources, prompts } of state.servers.values()) {
    for (const { id } of capabilities) yield { kind: 'tool', id, names: namesOf(state, 'tool', id) };
    for (const { id } of resources) yield { kind: 'resource', id, names: namesOf(state, 'resource', id) };
    for (const { id } of prompts) yield { kind: 'prompt', id, names: namesOf(state, 'prompt', id) };
  }
}

export type PatternList = 'allow' | 'deny' | 'requireApproval';

/** Whether a pattern of a list covers a thing, as the rules of that list are tried. */
export function matcherOf(pattern: string, list: PatternList): (thing: NamedThing) => boolean {
  const { match } = compilePatterns([pattern], list === 'allow' ? 'allows' : 'narrows');
  return ({ names }) => names.some((each) => each.some((name) => match(name) !== undefined));
}
