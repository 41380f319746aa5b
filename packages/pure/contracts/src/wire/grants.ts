// Grants as operators see them: approvals that answer later calls as well.
import * as v from 'valibot';
import type { JsonValue } from '../json.js';

const epochSecs = v.pipe(v.number(), v.integer(), v.description('Unix seconds'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const pointer = v.pipe(v.string(), v.description('JSON pointer to an argument'));
/** The pointers and values that a grant keeps have no more characters together. */
const keptPointer = v.pipe(pointer, v.maxLength(20_000));

/** A value that later calls must have, equal to the character. */
export const keptArgumentSchema = v.object({
  path: pointer,
  value: v.pipe(
    v.custom<JsonValue>((value) => value !== undefined, 'is required'),
    v.description('Any JSON value; redacted where the ticket shows it so'),
  ),
});
export interface KeptArgument {
  readonly path: string;
  readonly value: JsonValue;
}

/** The grant that an approval of a ticket may be kept as. */
export const grantOfferSchema = v.object({
  max_ttl_secs: count,
  max_uses: count,
  arguments: v.pipe(v.array(keptArgumentSchema), v.description('The arguments of the call, each of which may be kept')),
});
export interface GrantOffer {
  readonly max_ttl_secs: number;
  readonly max_uses: number;
  readonly arguments: readonly KeptArgument[];
}

/** `grant` in the body of `POST /v1/approvals/{id}/approve`. */
export const grantRequestSchema = v.object({
  ttl_secs: v.pipe(v.number(), v.description('From 1 to policy.grants.maxTtlSecs')),
  uses: v.pipe(v.number(), v.description('From 1 to policy.grants.maxUses')),
  keep: v.optional(
    v.nullable(
      v.pipe(
        v.array(keptPointer),
        v.description('Arguments that later calls must have unchanged; absent for all of them'),
      ),
    ),
  ),
});

/** The states of a grant: only an `active` one answers calls. */
export const grantStates = ['active', 'used_up', 'expired', 'revoked', 'void'] as const;
export type GrantState = (typeof grantStates)[number];

/** The changes after which a grant answers nothing. */
export const grantVoidReasons = ['definition_changed', 'policy_changed', 'server_removed'] as const;
/** Why a grant answers nothing, although it has uses and time left. */
export type GrantVoidReason = (typeof grantVoidReasons)[number];

const nullableText = v.nullable(v.string());

/** A grant in answers of `/v1/grants`. Times are seconds since the Unix epoch; values of arguments are as a ticket shows them. */
export const grantSchema = v.object({
  grant_id: v.pipe(v.string(), v.description('grant-<Unix seconds>-<counter>')),
  kind: v.picklist(['tool', 'resource', 'prompt']),
  capability_id: v.string(),
  server_id: v.string(),
  profile: nullableText,
  role: nullableText,
  actor: nullableText,
  client: v.pipe(nullableText, v.description('Program of the approved call, as it named itself')),
  definition_digest: v.string(),
  conditions: v.array(keptArgumentSchema),
  free: v.pipe(v.array(pointer), v.description('Arguments that may be absent, or have any value')),
  uses: count,
  uses_left: count,
  created_at: epochSecs,
  expires_at: epochSecs,
  issued_by: v.pipe(v.string(), v.description('The approver of the call')),
  approval_id: v.string(),
  state: v.picklist(grantStates),
  void_reason: v.optional(v.picklist(grantVoidReasons)),
  revoked_at: v.optional(epochSecs),
  revoked_by: v.optional(v.string()),
  last_used_at: v.optional(epochSecs),
});
export interface GrantWire
  extends Omit<Readonly<v.InferOutput<typeof grantSchema>>, 'conditions' | 'free' | 'void_reason'> {
  readonly conditions: readonly KeptArgument[];
  readonly free: readonly string[];
  readonly void_reason?: GrantVoidReason;
}

/** Answer of `GET /v1/grants`. */
export const grantListSchema = v.object({
  ok: v.literal(true),
  grants: v.array(grantSchema),
  total: v.pipe(count, v.description('All grants that match, on every page, of the newest 10,000')),
});

/** Answer of `GET` and `DELETE /v1/grants/{id}`. */
export const grantAnswerSchema = v.object({ ok: v.literal(true), grant: grantSchema });
