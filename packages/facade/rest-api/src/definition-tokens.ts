// The size of the tool definitions of a server in tokens, for people who decide what to mount. An estimate.
import { utf8Length } from '@portico/canonical-json';
import type { CapabilityEntry, ServerEntries } from '@portico/catalog-core';

/** About four bytes of JSON are a token of today's models. */
const bytesOfToken = 4;

/** Returns a function that computes the tokens when they are asked for first after a change of the definitions. */
export function createDefinitionTokens(): (entries: ServerEntries) => number {
  const known = new WeakMap<readonly CapabilityEntry[], number>();
  return ({ capabilities }) => {
    const tokens =
      known.get(capabilities) ??
      Math.ceil(
        capabilities.reduce((bytes, { definition }) => bytes + utf8Length(JSON.stringify(definition)), 0) /
          bytesOfToken,
      );
    known.set(capabilities, tokens);
    return tokens;
  };
}
