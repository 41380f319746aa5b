// The port to secrets that the configuration names by URI: `env://NAME`, `op://vault/item/field`,
// `keychain://service/account`. The upstream connector calls it; the host implements it.

export type SecretLookup =
  | { readonly kind: 'found'; readonly value: string }
  /** `reason` says why and what to do; it holds neither a value nor the URI. */
  | { readonly kind: 'missing'; readonly reason: string };

/** Looks a secret URI up, without a cache. Never rejects but for an aborted signal. */
export type LookUpSecret = (uri: string, signal: AbortSignal) => Promise<SecretLookup>;

/** The start of a secret URI; its first group is the scheme. */
export const secretUriStart = /^(env|op|keychain):\/\//;

/** The scheme of a text that is a secret URI as a whole; undefined for any other. */
export const secretScheme = (text: string): string | undefined => secretUriStart.exec(text)?.[1];
