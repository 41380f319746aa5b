// A connection that the rules refuse. The message is fit to be shown: it holds hosts, addresses and settings, no path.

/** Names of the rules, as the table of rules has them. */
export type EgressRule = 'own-listener' | 'link-local' | 'named-address' | 'moved-address' | 'https-only';

/** A connection that a rule forbids; thrown before a byte is sent. */
export class EgressRefused extends Error {
  readonly code = 'EGRESS_REFUSED';
  readonly rule: EgressRule;

  constructor(rule: EgressRule, message: string) {
    super(message);
    this.name = 'EgressRefused';
    this.rule = rule;
  }
}

/** The refusal that an error is, or that it was caused by: `fetch` wraps what its sockets fail with. */
export function refusalIn(error: unknown): EgressRefused | undefined {
  if (error instanceof EgressRefused) return error;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
