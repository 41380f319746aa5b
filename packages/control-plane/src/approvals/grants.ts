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
import type { CompiledGrants } from '../state/grant-rules.js';
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
import { standingIn } from './grant-standing.js';
import { type GrantStore, maxListedGrants, maxOpenGrants, type StoredGrant } from './grant-store.js';
import { GrantUse } from './grant-use.js';
import type { Ticket } from './ticket.js';

export interface GrantsDeps {
  readonly store: GrantStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly state: () => PlaneState;
  readonly sentArgs: SentArguments;
  readonly ticketOf: (approvalId: string) => Promise<Ticket | undefined>;
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
  /** @param args as they will run. Rejects with CallFailure INVALID_ARGS, INTERNAL_ERROR. */
  plan(ticket: Ticket, args: JsonObject, request: GrantRequest): Promise<PlannedGrant>;
  /** Makes the grant of a ticket that was approved; none if it rejects, with CallFailure INTERNAL_ERROR, AuditUnavailable. */
  issue(ticket: Ticket, planned: PlannedGrant, by: ConfigAuthor): Promise<StoredGrant>;
  /** Whether a call that it answered is under way in this process. */
  isInUse(id: string): boolean;
  /**
   * Undefined if it was revoked before, or is unknown. Calls of this process that it answered and that were not sent ask a
   * person, also if the record of the change fails. Rejects with CallFailure INTERNAL_ERROR, AuditUnavailable.
   */
  revoke(id: string, by: ConfigAuthor, name: string): Promise<StoredGrant | undefined>;
  readonly metric: ObservedMetric;
}

export function createGrants(on: GrantsDeps): Grants {
  const { store, clock, state } = on;
  const inUse = new Set<GrantUse>();
  let answered = 0;
  const take = async (use: GrantUse, id: string) => {
    inUse.add(use);
    return kept(store.take(id, clock.epochMs()));
  };
  const onEnd = (use: GrantUse) => {
    inUse.delete(use);
    if (use.grant !== undefined && !use.isLost) answered += 1;
  };
  const usesOf = (id: string) => [...inUse].filter(({ grant }) => grant?.id === id);

  return {
    async answering(call) {
      const nowMs = clock.epochMs();
      const found = await kept(store.find(call, nowMs));
      const matching: StoredGrant[] = [];
      for (const grant of found)
        if (missOf(grant, call, nowMs) === undefined && isApproval(grant, await kept(on.ticketOf(grant.approvalId))))
          matching.push(grant);
      if (matching.length === 0) return undefined;
      return new GrantUse(matching, { state, epochMs: clock.epochMs, take, onEnd });
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
    async plan(ticket, args, request) {
      const offer = offerOf(state(), ticket, args, on.sentArgs);
      if (!offer.ok) throw invalid(offer.because);
      checkLimits(offer.rules, request);
      const scope = boundedScope(offer.args, request.keep);
      await checkCount(on, offer.rules);
      return { request, offer, scope };
    },
    async issue(ticket, { request, scope, offer }, by) {
      const nowMs = clock.epochMs();
      const { status } = ticket;
      const name = status.status === 'approved' ? (status.decidedBy ?? status.operator) : '';
      const draft = draftOf(ticket, offer.rules, scope, request, { by: name, atMs: nowMs });
      const undo = async ({ id }: StoredGrant) => void (await store.revoke(id, name, clock.epochMs()));
      return recorded(on, by, 'grant_issued', () => store.add(draft), undo);
    },
    isInUse: (id) => usesOf(id).length > 0,
    revoke(id, by, name) {
      return recorded(on, by, 'grant_revoked', async () => {
        const revoked = await store.revoke(id, name, clock.epochMs());
        for (const use of usesOf(id)) use.revoke(id);
        return revoked;
      });
    },
    metric: {
      type: 'counter',
      name: 'portico_grant_uses_total',
      help: 'Calls that a grant answered in place of a person',
      labels: [],
      read: () => [{ labels: {}, value: answered }],
    },
  };
}

/**
 * Whether the approval that a grant was made with stands. A ticket that is asked again before its call was sent is pending, and
 * may be rejected, or approved for another definition. One that is not kept any more has ended.
 */
function isApproval({ createdAtMs }: StoredGrant, ticket: Ticket | undefined): boolean {
  if (ticket === undefined) return true;
  const { status } = ticket;
  return status.status === 'approved' && status.timestamp <= Math.floor(createdAtMs / 1000);
}

/** Void ones answer nothing, so they do not count. Rejects with CallFailure INVALID_ARGS, INTERNAL_ERROR. */
async function checkCount({ store, clock, state }: GrantsDeps, { policyDigest }: CompiledGrants): Promise<void> {
  const query = { openAtMs: clock.epochMs(), policyDigest };
  if ((await kept(store.count(query))) < maxOpenGrants) return;
  const open = await kept(store.list({ ...query, limit: maxListedGrants }));
  const standing = standingIn(state(), query.openAtMs);
  if (open.filter((grant) => standing(grant).state === 'active').length >= maxOpenGrants)
    throw invalid(`${maxOpenGrants} grants are active (a fixed limit); revoke one of them`);
}

/**
 * Makes a change if an action may begin, and records it.
 * @param undo for a change that must not stand without its record
 */
async function recorded<T extends StoredGrant | undefined>(
  { audit, clock, state }: GrantsDeps,
  by: ConfigAuthor,
  action: string,
  change: () => Promise<T>,
  undo: (changed: T) => Promise<void> = async () => {},
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
  try {
    await open.end(
      grant && configChangeDraft(state(), clock.epochMs(), by, { action, details: detailsOf(grant), changes: null }),
    );
  } catch (error) {
    await undo(grant);
    throw error;
  }
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
