// The port to secrets for where there is nobody to look them up.
import type { LookUpSecret } from '@portico/contracts';

/** Knows no place to look at. */
export const noSecrets: LookUpSecret = async () => ({
  kind: 'missing',
  reason: 'cannot be looked up here',
});
