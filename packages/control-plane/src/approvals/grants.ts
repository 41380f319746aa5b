// Grants in a running service: made from an approval, taken by later calls, revoked. Only a call that would wait for a
// person comes here.
import type { JsonObject } from '@portico/contracts';
import { type GrantedCall, missOf } from '@portico/policy-engine';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { type ConfigAuthor, configChangeDraft } from '../audit/change-draft.js';
import { CallFailure } from '../call/call.js';
import { kept } from '../call/failures.js';
import type { ObservedMetric } from '../observability/metrics/metrics.js';
import type { PlaneState } from '../state/plane-state.js';
import {
  boundedScope,
  checkLimits,
  draftOf,
  type GrantRequest,
  type GrantScope,
  invalid,
  type Offered,
  offerOf,
  type SentArguments,
} from './grant-offer.js';
import type { GrantStore, StoredGrant } from './grant-store.js';
import { GrantUse } from './grant-use.js';
import type { Ticket } from './ticket.js';

export interface GrantsDeps {
  readonly store: GrantStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly state: () => PlaneState;
  readonly sentArgs: SentArguments;
}

/** A grant that an approver asked for, checked before the ticket is decided. */
export interface PlannedGrant {
  readonly request: GrantRequest;
  readonly scope: GrantScope;
  readonly offer: Extract<Offered, { readonly ok: true }>;
}

export interface Grants {
  /** The grants that answer a call as it is sent, to be taken when it starts. Rejects with CallFailure INTERNAL_ERROR. */
  answering(call: GrantedCall): Promise<GrantUse | undefined>;
  /** The scope of a grant that keeps every argument of a ticket; undefined if no grant may be made from it. */
  scope(ticket: Ticket): GrantScope | undefined;
  /** @param args as they will run @throws CallFailure INVALID_ARGS */
  plan(ticket: Ticket, args: JsonObject, request: GrantRequest): PlannedGrant;
  /** Makes the grant of a ticket that was approved. Rejects with CallFailure INTERNAL_ERROR, AuditUnavailable. */
  issue(ticket: Ticket, planned: PlannedGrant, by: ConfigAuthor): Promise<StoredGrant>;
  /** Undefined if it was revoked before, or is unknown. Calls that it answered and that were not sent ask a person. */
  revoke(id: string, by: ConfigAuthor, name: string): Promise<StoredGrant | undefined>;
  readonly metric: ObservedMetric;
}

/** Most grants that may answer calls at one time. */
const maxOpen = 1000;

export function createGrants(on: GrantsDeps): Grants {
  const { store, clock, state } = on;
  const inUse = new Set<GrantUse>();
  let taken = 0;
  const take = async (use: GrantUse, id: string) => {
    inUse.add(use);
    const isTaken = await kept(store.take(id, clock.epochMs()));
    if (isTaken) taken += 1;
    return isTaken;
  };

  return {
    async answering(call) {
      const nowMs = clock.epochMs();
      const found = await kept(store.find(call, nowMs));
      const matching = found.filter((grant) => missOf(grant, call, nowMs) === undefined);
      if (matching.length === 0) return undefined;
      return new GrantUse(matching, { state, take, onEnd: (use) => inUse.delete(use) });
    },
    scope(ticket) {
      const offer = offerOf(state(), ticket, ticket.args, on.sentArgs);
      try {
        return offer.ok ? boundedScope(offer.args) : undefined;
      } catch (error) {
        if (error instanceof CallFailure) return undefined; // too large to be kept
        throw error;
      }
    },
    plan(ticket, args, request) {
      const offer = offerOf(state(), ticket, args, on.sentArgs);
      if (!offer.ok) throw invalid(offer.because);
      checkLimits(offer.rules, request);
      return { request, offer, scope: boundedScope(offer.args, request.keep) };
    },
    async issue(ticket, { request, scope, offer }, by) {
      const nowMs = clock.epochMs();
      const { status } = ticket;
      const name = status.status === 'approved' ? (status.decidedBy ?? status.operator) : '';
      const open = await kept(store.list({ openAtMs: nowMs, limit: maxOpen }));
      if (open.length >= maxOpen)
        throw new CallFailure('INTERNAL_ERROR', `${maxOpen} grants are active (a fixed limit); revoke one of them`);
      const draft = draftOf(ticket, offer.rules, scope, request, { by: name, atMs: nowMs });
      return recorded(on, by, 'grant_issued', () => store.add(draft));
    },
    async revoke(id, by, name) {
      const revoked = await recorded(on, by, 'grant_revoked', () => store.revoke(id, name, clock.epochMs()));
      for (const use of inUse) if (use.grant?.id === id) use.revoke();
      return revoked;
    },
    metric: {
      type: 'counter',
      name: 'portico_grant_uses_total',
      help: 'Calls that a grant answered in place of a person',
      labels: [],
      read: () => [{ labels: {}, value: taken }],
    },
  };
}

/** A change that could not be recorded is not made. */
async function recorded<T extends StoredGrant | undefined>(
  { audit, clock, state }: GrantsDeps,
  by: ConfigAuthor,
  action: string,
  change: () => Promise<T>,
): Promise<T> {
  const open = await audit.begin();
  let grant: T;
  try {
    grant = await change();
  } catch (error) {
    await open.end();
    const reason = error instanceof Error ? error.message : error;
    throw new CallFailure(
      'INTERNAL_ERROR',
      `the change of a grant (${action}) could not be kept: ${reason}; try again`,
    );
  }
  await open.end(
    grant && configChangeDraft(state(), clock.epochMs(), by, { action, details: detailsOf(grant), changes: null }),
  );
  return grant;
}

/** Paths without their values, which may be secrets. */
function detailsOf({ id, serverId, capabilityId, approvalId, conditions, uses, expiresAtMs }: StoredGrant): JsonObject {
  return {
    grant_id: id,
    server: serverId,
    capability_id: capabilityId,
    approval_id: approvalId,
    keep: conditions.map(({ path }) => path),
    uses,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
}
