// The port to secrets that the configuration names by URI: `env://NAME`, `op://vault/item/field`,
// `keychain://service/account`. Whoever knows the places implements it; nothing here keeps a value.

export type SecretLookup =
  | { readonly kind: 'found'; readonly value: string }
  /** `reason` says why and what to do; it holds neither a value nor the URI. */
  | { readonly kind: 'missing'; readonly reason: string };

/** Looks a secret URI up, each time anew. Never rejects but for an aborted signal. */
export type LookUpSecret = (uri: string, signal: AbortSignal) => Promise<SecretLookup>;

/** Knows no place to look at. */
export const noSecrets: LookUpSecret = async () => ({
  kind: 'missing',
  reason: 'cannot be looked up here',
});

const uriPattern = /^(env|op|keychain):\/\//;

/** The scheme of a text that is a secret URI as a whole; undefined for any other. */
export const secretScheme = (text: string): string | undefined => uriPattern.exec(text)?.[1];
