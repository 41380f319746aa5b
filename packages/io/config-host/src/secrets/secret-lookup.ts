// The result of looking a secret up. A reason may be shown: it holds neither a value nor the URI.
import type { SecretLookup } from '@portico/contracts';

export const found = (value: string): SecretLookup => ({ kind: 'found', value });
export const missing = (reason: string): SecretLookup => ({ kind: 'missing', reason });
