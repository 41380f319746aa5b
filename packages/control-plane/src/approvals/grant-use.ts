// One use of a grant: taken just before the call is sent, so that a crash leaves it used and no call is answered twice.
import { nothingSent } from '@portico/contracts';
import { endOf } from '@portico/policy-engine';
import { CallFailure } from '../call/call.js';
import { asFailure } from '../call/failures.js';
import type { PlaneState } from '../state/plane-state.js';
import { bindingNow } from './grant-offer.js';
import type { StoredGrant } from './grant-store.js';

export interface GrantUseDeps {
  readonly state: () => PlaneState;
  readonly epochMs: () => number;
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
  #takenAtMs = 0;
  #revoked: string | undefined;
  #isAnswered = false;

  /** @param candidates all match the call, the first to expire first */
  constructor(candidates: readonly StoredGrant[], on: GrantUseDeps) {
    this.#candidates = candidates;
    this.#on = on;
  }

  /** Takes the use. @returns the failure of a call that is not to be sent */
  async start(): Promise<CallFailure | undefined> {
    for (const grant of this.#candidates) {
      this.grant = grant; // beforehand: it may be revoked in between
      this.#takenAtMs = this.#on.epochMs();
      const taken = await this.#on.take(this, grant.id).catch(asFailure);
      if (taken === true) return undefined;
      this.grant = undefined;
      if (taken instanceof CallFailure) return taken;
    }
    this.isLost = true;
    return new CallFailure('POLICY_DENIED', 'the grant that would have answered the call is used up', nothingSent);
  }

  /**
   * Asked at the moment of sending, more than once if the call waits again: why it must not be sent; undefined if it may,
   * and in its further rounds.
   */
  readonly withhold = (): string | undefined => {
    if (this.#isAnswered || this.grant === undefined) return undefined;
    const because = this.#endedBecause(this.grant);
    this.isLost = because !== undefined;
    return because && `grant ${this.grant.id} ${because}, and nothing was sent`;
  };

  /** @param id of a grant; another one may answer the call in its place */
  revoke(id: string): void {
    this.#revoked = id;
  }

  /** The server has answered the first round: further ones are sent, also if the grant ends in between. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** The call is over. */
  end(): void {
    this.#on.onEnd(this);
  }

  #endedBecause(grant: StoredGrant): string | undefined {
    if (this.#revoked === grant.id) return 'was revoked';
    // The use that was taken may be the last one.
    const life = { ...grant, usesLeft: 1, lastUsedAtMs: Math.max(grant.lastUsedAtMs ?? 0, this.#takenAtMs) };
    if (endOf(life, this.#on.epochMs()) === 'expired') return 'has expired';
    return this.#isAsGranted(grant) ? undefined : 'is void';
  }

  #isAsGranted(grant: StoredGrant): boolean {
    const state = this.#on.state();
    const { grants } = state.policy;
    const now = grants && bindingNow(state, grants, { kind: grant.kind, id: grant.capabilityId }, grant);
    return now?.definitionDigest === grant.definitionDigest && now.policyDigest === grant.policyDigest;
  }
}
