// Who may talk to the service: where it is bound, and the token beyond loopback.
export interface AccessRules {
  /** Address the service is bound to, as an IP literal or name. */
  readonly bind: string;
  /** Asked for on every route but /healthz; null asks for none. */
  readonly authToken: string | null;
}
