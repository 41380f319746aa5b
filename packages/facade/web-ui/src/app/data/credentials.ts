// The token of this browser tab, and whether the sign-in dialog is open: a state, and the events that change it. A late
// refusal of an earlier token changes nothing, because every request belongs to the generation in which it was sent.

export interface Credentials {
  readonly token: string | null;
  /** Counts sign-ins and sign-outs: all requests of a generation carry the same token. */
  readonly generation: number;
  /** Counts sign-outs: nothing that a visit showed is kept for the next one. */
  readonly visit: number;
  /** `required` when the service refused a request without a token, or this token; `declined` when the user closed that dialog. */
  readonly asking: 'no' | 'asked' | 'required' | 'declined';
  /** Whether the role of this generation is an administrator's, as far as the service has said. */
  readonly admin: 'unknown' | 'yes' | 'no';
}

export type CredentialsEvent =
  | { readonly kind: 'dialog_opened' }
  | { readonly kind: 'dialog_closed' }
  | { readonly kind: 'signed_in'; readonly token: string }
  | { readonly kind: 'signed_out' }
  /** The service answered 401 to a request of this generation. */
  | { readonly kind: 'refused'; readonly generation: number }
  /** The service answered a request of this generation that takes an administrator. */
  | { readonly kind: 'role_seen'; readonly generation: number; readonly isAdmin: boolean };

export function firstCredentials(token: string | null): Credentials {
  return { token, generation: 1, visit: 1, asking: 'no', admin: 'unknown' };
}

export function nextCredentials(now: Credentials, event: CredentialsEvent): Credentials {
  const { generation, visit, asking } = now;
  switch (event.kind) {
    case 'dialog_opened':
      return { ...now, asking: 'asked' };
    case 'dialog_closed':
      return { ...now, asking: asking === 'required' ? 'declined' : 'no' };
    case 'signed_in':
      return { token: event.token, generation: generation + 1, visit, asking: 'no', admin: 'unknown' };
    case 'signed_out':
      return { token: null, generation: generation + 1, visit: visit + 1, asking: 'no', admin: 'unknown' };
    case 'refused':
      return event.generation !== generation || asking === 'declined' ? now : { ...now, asking: 'required' };
    case 'role_seen': {
      const admin = event.isAdmin ? 'yes' : 'no';
      return event.generation !== generation || admin === now.admin ? now : { ...now, admin };
    }
  }
}
