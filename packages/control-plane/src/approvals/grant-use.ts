// One use of a grant: taken just before the call is sent, so that a crash leaves it used and no call is answered twice.
import { nothingSent } from '@portico/contracts';
import { CallFailure } from '../call/call.js';
import { asFailure } from '../call/failures.js';
import type { PlaneState } from '../state/plane-state.js';
import { bindingNow } from './grant-offer.js';
import type { StoredGrant } from './grant-store.js';

export interface GrantUseDeps {
  readonly state: () => PlaneState;
  /** Takes one use of a grant, and keeps that. Rejects with CallFailure INTERNAL_ERROR. */
  readonly take: (use: GrantUse, id: string) => Promise<boolean>;
  readonly onEnd: (use: GrantUse) => void;
}

export class GrantUse {
  readonly #on: GrantUseDeps;
  readonly #candidates: readonly StoredGrant[];
  /** The grant that answered; undefined before the call starts. */
  grant: StoredGrant | undefined;
  /** Nothing was sent, since no grant answers by now: a person has to be asked. */
  isLost = false;
  #isRevoked = false;
  #isSent = false;

  /** @param candidates all match the call, the first to expire first */
  constructor(candidates: readonly StoredGrant[], on: GrantUseDeps) {
    this.#candidates = candidates;
    this.#on = on;
  }

  /** Takes the use. @returns the failure of a call that is not to be sent */
  async start(): Promise<CallFailure | undefined> {
    for (const grant of this.#candidates) {
      this.grant = grant; // beforehand: it may be revoked in between
      const taken = await this.#on.take(this, grant.id).catch(asFailure);
      if (taken === true) return undefined;
      this.grant = undefined;
      if (taken instanceof CallFailure) return taken;
    }
    this.isLost = true;
    return new CallFailure('POLICY_DENIED', 'the grant that would have answered the call is used up', nothingSent);
  }

  /** Asked at the moment of sending: why the call must not be sent; undefined if it may. Its further rounds go on. */
  readonly withhold = (): string | undefined => {
    if (this.#isSent || this.grant === undefined) return undefined;
    const because = this.#isRevoked ? 'was revoked' : this.#isAsGranted(this.grant) ? undefined : 'is void';
    this.#isSent = because === undefined;
    this.isLost = because !== undefined;
    return because && `grant ${this.grant.id} ${because}, and nothing was sent`;
  };

  revoke(): void {
    this.#isRevoked = true;
  }

  /** The call is over. */
  end(): void {
    this.#on.onEnd(this);
  }

  #isAsGranted(grant: StoredGrant): boolean {
    const state = this.#on.state();
    const { grants } = state.policy;
    const now = grants && bindingNow(state, grants, { kind: grant.kind, id: grant.capabilityId }, grant);
    return now?.definitionDigest === grant.definitionDigest && now.policyDigest === grant.policyDigest;
  }
}
