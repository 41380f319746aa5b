// The grant that an approval of a ticket may be kept as: its scope, and the limits of the configuration.
import { type JsonObject, nestsDeeperThan } from '@portico/contracts';
import { type GrantBinding, type GrantCondition, scopeOf } from '@portico/policy-engine';
import { type Caller, CallFailure, type CallKind } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { CompiledGrants } from '../state/grant-rules.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import type { GrantDraft } from './grant-store.js';
import type { Ticket } from './ticket.js';
import { definitionNow } from './ticket-definition.js';
import { toCall } from './to-call.js';

/** Gives arguments in the form that the server receives. @throws CallFailure INVALID_ARGS */
export type SentArguments = (target: Target, args: JsonObject) => JsonObject;

/** A grant as an approver asks for it. */
export interface GrantRequest {
  readonly ttlSecs: number;
  readonly uses: number;
  /** JSON pointers to the values that later calls must have; undefined for all arguments. */
  readonly keep?: readonly string[] | undefined;
}

export interface GrantScope {
  readonly conditions: readonly GrantCondition[];
  readonly names: readonly string[];
}

export type Offered =
  | { readonly ok: true; readonly rules: CompiledGrants; readonly args: JsonObject }
  /** Why no grant may be made, and the next step. */
  | { readonly ok: false; readonly because: string };

const maxNames = 200;
const maxConditions = 100;
const maxLength = 20_000;
const maxLevels = 64;

/** Whether a grant may be made from a ticket. @param args as its caller, or the approver, gave them */
export function offerOf(state: PlaneState, ticket: Ticket, args: JsonObject, sentArgs: SentArguments): Offered {
  const rules = state.policy.grants;
  if (rules === undefined) return refused('grants are off; policy.grants.enabled turns them on');
  const { rule, definition } = ticket;
  if (rule === null || !/^(?:require_approval|rule):/.test(rule))
    return refused(`a grant answers rules of the policy, and this call waits for ${rule ?? 'an unknown rule'}`);
  if (definition === null || definition.definition === null)
    return refused(`its server does not list "${ticket.capabilityId}", so a grant could not be bound to a definition`);
  try {
    const { kind, id, caller } = toCall(ticket, args);
    const target = resolve(state, caller, kind, id);
    const because = rules.refusalOf(target);
    return because === undefined ? { ok: true, rules, args: sentArgs(target, args) } : refused(because);
  } catch (error) {
    if (error instanceof CallFailure) return refused(error.message);
    throw error;
  }
}

function refused(because: string): Offered {
  return { ok: false, because };
}

/** The scope of a grant within the fixed limits. @throws CallFailure INVALID_ARGS */
export function boundedScope(args: JsonObject, keep?: readonly string[]): GrantScope {
  const names = Object.keys(args);
  if (names.length > maxNames) throw invalid(`the call has more than ${maxNames} arguments (a fixed limit)`);
  if ((keep?.length ?? 0) > maxConditions) throw invalid(`keep has more than ${maxConditions} entries (a fixed limit)`);
  const scope = scopeOf(args, keep);
  if (!scope.ok) {
    const known = names.length === 0 ? 'it has no arguments' : `its arguments are ${JSON.stringify(scopeNames(args))}`;
    throw invalid(`keep: the call has no value at ${JSON.stringify(scope.path)}; ${known}`);
  }
  const { conditions } = scope;
  if (JSON.stringify(conditions).length > maxLength)
    throw invalid(`the values to keep are longer than ${maxLength} characters (a fixed limit); keep fewer`);
  if (conditions.some(({ value }) => nestsDeeperThan(JSON.stringify(value), maxLevels)))
    throw invalid(`a value to keep has more than ${maxLevels} levels (a fixed limit)`);
  return { conditions, names };
}

function scopeNames(args: JsonObject): readonly string[] {
  const scope = scopeOf(args);
  return scope.ok ? scope.conditions.map(({ path }) => path) : [];
}

/** @throws CallFailure INVALID_ARGS with the limit that is passed */
export function checkLimits({ maxTtlSecs, maxUses }: CompiledGrants, { ttlSecs, uses }: GrantRequest): void {
  checkLimit('ttl_secs', ttlSecs, maxTtlSecs, 'policy.grants.maxTtlSecs');
  checkLimit('uses', uses, maxUses, 'policy.grants.maxUses');
}

function checkLimit(name: string, value: number, max: number, setting: string): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw invalid(`${name} must be an integer from 1 to ${max} (${setting}), got ${value}`);
}

export function invalid(problem: string): CallFailure {
  return new CallFailure('INVALID_ARGS', `grant: ${problem}`);
}

/** The parts of a call that a grant is bound to; undefined while the definition of its target is not known. */
export function bindingNow(
  state: PlaneState,
  { policyDigest }: CompiledGrants,
  { kind, id }: { readonly kind: CallKind; readonly id: string },
  { principal, actor, role, profile }: Pick<Caller, 'principal' | 'actor' | 'role' | 'profile'>,
): GrantBinding | undefined {
  const definition = definitionNow(state, kind, id);
  if (definition === undefined || definition.definition === null) return undefined;
  const definitionDigest = definition.digest;
  return { kind, capabilityId: id, definitionDigest, policyDigest, principal, actor, role, profile };
}

/** The grant of a ticket that was approved just now. */
export function draftOf(
  ticket: Ticket,
  { policyDigest }: CompiledGrants,
  scope: GrantScope,
  { ttlSecs, uses }: GrantRequest,
  issued: { readonly by: string; readonly atMs: number },
): GrantDraft {
  const { kind, capabilityId, serverId, principal, actor, role, profile, source, definition } = ticket;
  return {
    kind,
    capabilityId,
    serverId,
    principal,
    actor,
    role,
    profile,
    client: source?.client?.name ?? null,
    definitionDigest: definition?.digest ?? '',
    policyDigest,
    ...scope,
    uses,
    createdAtMs: issued.atMs,
    expiresAtMs: issued.atMs + ttlSecs * 1000,
    issuedBy: issued.by,
    approvalId: ticket.id,
  };
}
