// The lock of definitions as it is read and accepted over HTTP, and the notice of a drift.
import * as v from 'valibot';
import { lockModes } from '../config/lock-schema.js';

const ok = v.literal(true);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = (of: string) => v.pipe(v.nullable(v.string()), v.description(of));

/** Kinds of definitions that a lock covers. */
export const driftKinds = ['server', 'tool', 'prompt', 'resource_template'] as const;
/** Classes of differences, the least dangerous first. */
export const driftClassNames = [
  ...['cosmetic', 'narrowed', 'removed', 'renamed', 'new', 'description', 'widened', 'output'],
  ...['annotation_weakened', 'identity', 'suspicious'],
] as const;

/** Classes whose drift may be used before a person has seen it, by default. */
export const harmlessDriftClasses = ['cosmetic', 'narrowed'] as const satisfies readonly DriftClassName[];
/** Classes that can only be accepted by a person, one by one. */
export const dangerousDriftClasses = [
  'annotation_weakened',
  'identity',
  'suspicious',
] as const satisfies readonly DriftClassName[];
export type DriftClassName = (typeof driftClassNames)[number];

const driftClass = v.pipe(
  v.picklist(driftClassNames),
  v.description('Severity rises in the order of this list; a drift has the most severe class of its changes'),
);

/** One field of a definition before and after a change. */
export const fieldChangeSchema = v.object({
  field: v.pipe(v.string(), v.description('Such as `description` or `inputSchema`')),
  class: driftClass,
  before: text('As it was accepted; what is no text, as JSON in lines with sorted members. Null for none'),
  after: text('As it is now'),
  truncated: v.optional(v.pipe(v.literal(true), v.description('Present where a text is longer than is shown'))),
});

/** A definition that differs from the accepted one, with its class and both texts. */
export const driftSchema = v.object({
  id: v.pipe(v.string(), v.description('`<kind>:<server>.<name>`, or `server:<server>`')),
  kind: v.picklist(driftKinds),
  server_id: v.string(),
  name: v.string(),
  class: driftClass,
  held: v.pipe(v.boolean(), v.description('Whether it is neither listed nor callable until it is accepted')),
  digest: v.pipe(
    v.string(),
    v.description('Digest of the current definition, or `removed`; `POST /v1/lock/accept` names it'),
  ),
  former_name: v.optional(v.pipe(v.string(), v.description('The name before it was renamed'))),
  changes: v.array(fieldChangeSchema),
});
/** One difference between what a server says and what was accepted. */
export type DriftView = Readonly<v.InferOutput<typeof driftSchema>>;

/** Names of the static rules on definitions (docs/tools-lock.md describes each). */
export const findingRuleNames = [
  'hidden_characters',
  'instructions_to_model',
  'shadowed_name',
  'contradicting_annotation',
] as const;

/** A statement of a finding rule about a definition. A finding blocks nothing. */
export const findingSchema = v.object({
  rule: v.picklist(findingRuleNames),
  kind: v.picklist(driftKinds),
  server_id: v.string(),
  name: v.string(),
  evidence: v.string(),
});
export type FindingView = Readonly<v.InferOutput<typeof findingSchema>>;

/** Answer of `GET /v1/lock`: mode, file and counts. */
export const lockStateSchema = v.object({
  ok,
  mode: v.picklist(lockModes),
  file: v.pipe(v.nullable(v.string()), v.description('Path of the lock file; null if the lock is off')),
  usable: v.pipe(v.boolean(), v.description('False if the file cannot be used: with `enforce` all is held then')),
  fault: v.optional(v.pipe(v.string(), v.description('Why it cannot be used, and what to do'))),
  missing: v.optional(v.pipe(v.literal(true), v.description('Present where there is no lock file yet'))),
  verdict: v.pipe(
    v.picklist([0, 2, 10, 11, 12]),
    v.description(
      'Exit code of `portico lock`: 0 no drift, 2 unusable file, 10 no review needed, 11 review needed, 12 dangerous',
    ),
  ),
  revision: v.pipe(v.string(), v.description('Another one once any difference or its digest is another')),
  servers: v.array(
    v.object({
      id: v.string(),
      mode: v.picklist(lockModes),
      locked: v.pipe(v.boolean(), v.description('Whether the lock has it')),
      drifts: count,
      held: count,
      wholly_held: v.pipe(v.boolean(), v.description('Whether all that it lists is held')),
    }),
  ),
});

export type LockState = Readonly<v.InferOutput<typeof lockStateSchema>>;

/** Answer of `GET /v1/lock/drift`. */
export const lockDriftSchema = v.object({
  ok,
  usable: v.boolean(),
  fault: v.optional(v.string()),
  verdict: v.picklist([0, 2, 10, 11, 12]),
  drifts: v.array(driftSchema),
  total: v.optional(
    v.pipe(count, v.description('Differences in all; `drifts` has those of the page that was asked for')),
  ),
  findings: v.pipe(v.array(findingSchema), v.description('Findings in the current definitions; they block nothing')),
});
export type LockDrift = Readonly<v.InferOutput<typeof lockDriftSchema>>;

/** Bytes of a lock file, and of a text that is compared as one. */
export const maxLockBytes = 32 * 1024 * 1024;

/** Differences of one answer, where no `limit` is given. */
export const defaultDriftLimit = 1000;

/** Things that one acceptance may name. */
export const maxAccepted = 20_000;

/** Body of `POST /v1/lock/accept`: the definitions to accept, each with the digest that was reviewed. */
export const lockAcceptRequestSchema = v.object({
  items: v.pipe(
    v.array(v.object({ id: v.string(), digest: v.string() })),
    v.maxLength(maxAccepted),
    v.description('The reviewed drifts, with the digests that they had at the review'),
  ),
  operator: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(200),
      v.description('Name of the person who accepts, as the lock file records it'),
    ),
  ),
});
export type LockAcceptRequest = v.InferOutput<typeof lockAcceptRequestSchema>;

/** Answer of `POST /v1/lock/accept`. */
export const lockAcceptedSchema = v.object({ ok, accepted: v.array(v.string()), file: v.string() });

/** Body of `POST /v1/lock/verify`: the text of a lock file. The limit of all bodies, 4 MiB, is the limit of the text. */
export const lockVerifyRequestSchema = v.object({
  lock: v.pipe(v.string(), v.description('Text of a lock file; a body has at most 4 MiB')),
});
export type LockVerifyRequest = v.InferOutput<typeof lockVerifyRequestSchema>;

/** Body of the webhook event `definition.drift`. */
export interface DriftNotice {
  readonly event: 'definition.drift';
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
  readonly drift: Pick<DriftView, 'id' | 'kind' | 'server_id' | 'name' | 'class' | 'held' | 'digest'> & {
    readonly fields: readonly string[];
  };
}
