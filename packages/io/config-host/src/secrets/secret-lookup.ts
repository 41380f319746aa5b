// What comes of looking a secret up. A reason is fit to be shown: it holds neither a value nor the URI.

export type SecretLookup =
  | { readonly kind: 'found'; readonly value: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** Never rejects but for an aborted signal. */
export type LookUpSecret = (uri: string, signal: AbortSignal) => Promise<SecretLookup>;

export const found = (value: string): SecretLookup => ({ kind: 'found', value });
export const missing = (reason: string): SecretLookup => ({ kind: 'missing', reason });
