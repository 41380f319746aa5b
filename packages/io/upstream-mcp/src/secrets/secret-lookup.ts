// A port to secrets that finds none, for embedders without a secret store.
import type { LookUpSecret } from '@portico/contracts';

/** Knows no place to look at. */
export const noSecrets: LookUpSecret = async () => ({
  kind: 'missing',
  reason: 'cannot be looked up here',
});
