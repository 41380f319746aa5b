// Access to the service: its bind address, and the credentials that callers need.
import type { Authenticate, Connection } from '@portico/control-plane';

export interface AccessRules {
  /** Address the service is bound to, as an IP literal or name. */
  readonly bind: string;
  /** Called on every route that requires authentication. */
  readonly authenticate: Authenticate;
  /** Sessions of the web console where administration needs a token; without it the console needs none. */
  readonly consoleSessions?: ConsoleSessions | undefined;
}

export interface ConsoleCode {
  readonly code: string;
  readonly expiresAtMs: number;
}

export interface ConsoleSession {
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface ConsoleSessions {
  /** Null if the console needs none. */
  issueCode(): ConsoleCode | null;
  /** Undefined for a code that is not known, was used, or is over, and for a connection of another user. */
  openSession(code: string, connection: Connection | undefined): Promise<ConsoleSession | undefined>;
}
