// Secret URIs in a definition, and the port for where there is nobody to look them up.
import type { LookUpSecret } from '@portico/contracts';

/** Knows no place to look at. */
export const noSecrets: LookUpSecret = async () => ({
  kind: 'missing',
  reason: 'cannot be looked up here',
});

const uriPattern = /^(env|op|keychain):\/\//;

/** The scheme of a text that is a secret URI as a whole; undefined for any other. */
export const secretScheme = (text: string): string | undefined => uriPattern.exec(text)?.[1];
