// The size of the tool definitions of a server in tokens, for people who decide what to mount. An estimate.
import { utf8Length } from '@portico/canonical-json';
import type { CapabilityEntry, ServerEntries } from '@portico/catalog-core';
import { tokensOf } from '@portico/control-plane';

/** Returns a function that computes the tokens when they are asked for first after a change of the definitions. */
export function createDefinitionTokens(): (entries: ServerEntries) => number {
  const known = new WeakMap<readonly CapabilityEntry[], number>();
  return ({ capabilities }) => {
    const tokens =
      known.get(capabilities) ??
      tokensOf(capabilities.reduce((bytes, { definition }) => bytes + utf8Length(JSON.stringify(definition)), 0));
    known.set(capabilities, tokens);
    return tokens;
  };
}
