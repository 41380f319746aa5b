// Who may talk to the service: where it is bound, and what callers have to prove.
import type { Authenticate } from '@portico/control-plane';

export interface AccessRules {
  /** Address the service is bound to, as an IP literal or name. */
  readonly bind: string;
  /** Asked on every route that is not open to everybody. */
  readonly authenticate: Authenticate;
}
