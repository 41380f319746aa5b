// The grants that would answer the call of a trial, for an operator who asks what a rule does.
import { missOf } from '@portico/policy-engine';
import { bindingNow } from '../approvals/grant-offer.js';
import type { GrantStore } from '../approvals/grant-store.js';
import { kept } from '../call/failures.js';
import { prepare } from '../execution/steps/prepare.js';
import type { ArgumentValidator } from '../execution/steps/validate-arguments.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import { type PolicyTrial, viewerOf } from './try-policy.js';

export interface TryGrantsDeps {
  readonly grantStore: GrantStore;
  readonly validator: ArgumentValidator;
  readonly epochMs: () => number;
}

const maxGrants = 1000;

/** Ids, newest first; each answers only callers of the principal that it was made for. Only for a call that waits for a person. */
export async function tryGrants(
  { grantStore, validator, epochMs }: TryGrantsDeps,
  state: PlaneState,
  trial: PolicyTrial,
): Promise<readonly string[]> {
  const { grants } = state.policy;
  if (trial.args === undefined || grants === undefined) return [];
  const viewer = viewerOf(state, trial);
  const target = resolve(state, viewer, trial.kind, trial.id);
  if (grants.refusalOf(target) !== undefined) return [];
  const { args } = prepare(validator, state.config.servers, target, trial.args);
  const nowMs = epochMs();
  const open = await kept(grantStore.list({ openAtMs: nowMs, limit: maxGrants }));
  return open
    .filter((grant) => {
      const binding = bindingNow(state, grants, target, { ...grant, ...viewer });
      return binding !== undefined && missOf(grant, { ...binding, args }, nowMs) === undefined;
    })
    .map(({ id }) => id);
}
