// The effect of a change of the rules before it is made: the matches of a pattern, the changed verdicts, and the
// recorded calls with another verdict. Reads only.
import type { AuditRecord } from '@portico/audit-chain';
import { PorticoError } from '@portico/contracts';
import type { PolicyDecision, Viewer } from '@portico/policy-engine';
import type { AuditLog } from '../audit/audit-log.js';
import type { CallKind } from '../call/call.js';
import { compilePlanePolicy, type PlanePolicy } from '../state/plane-policy.js';
import type { PlaneState } from '../state/plane-state.js';
import { namesOf } from '../state/visibility.js';
import { matcherOf, type NamedThing, namedThings, type PatternList } from './named-things.js';
import { viewerOf } from './try-policy.js';
import type { Turn } from './turns.js';

export interface PolicyChange {
  /** A pattern that is being written, and the list that it is for. */
  readonly pattern?: { readonly text: string; readonly list: PatternList } | undefined;
  /** Lists of `policy` as they would be; those that are absent stay. */
  readonly lists?: Readonly<Partial<Record<PatternList, readonly string[]>>> | undefined;
  /** Through whose view the verdicts on what is listed are compared. */
  readonly viewer: Viewer;
  /** Compares the verdicts on the calls of the log from this time on, milliseconds since the Unix epoch. */
  readonly sinceMs?: number | undefined;
}

export interface ThingChanged {
  readonly kind: CallKind;
  readonly id: string;
  readonly from: PolicyDecision['kind'];
  readonly to: PolicyDecision['kind'];
}

export interface CallsChanged extends ThingChanged {
  readonly role: string | null;
  readonly profile: string | null;
  readonly calls: number;
  /** The newest of them: its record and its time. */
  readonly last: { readonly id: string; readonly timestamp: string };
}

export interface PastCalls {
  readonly sinceMs: number;
  /** Records that were read, newest first. */
  readonly records: number;
  /** Calls among them, without replays of a stored answer. */
  readonly calls: number;
  /** Whether these are all records since then. */
  readonly isComplete: boolean;
  /**
   * Calls whose record does not contain enough, such as a redacted address, and those of removed roles and profiles.
   */
  readonly undetermined: number;
  /** Most calls first. */
  readonly changed: Shortened<CallsChanged>;
  /** Time of the oldest record that was read; undefined for none. */
  readonly oldest: string | undefined;
}

/** The first of a list, and how many there are. */
export interface Shortened<T> {
  readonly total: number;
  readonly items: readonly T[];
}

export interface PolicyPreview {
  /** The entries that the pattern covers; undefined without a pattern. */
  readonly matches: Shortened<Pick<NamedThing, 'kind' | 'id'>> | undefined;
  /** Listed entries with another verdict. */
  readonly changed: Shortened<ThingChanged>;
  /** Undefined if no time was given. */
  readonly past: PastCalls | undefined;
  /** Whether all that the servers list was looked at. */
  readonly isComplete: boolean;
}

/** Things that are looked at: about a second of work where they are resources, much less for tools. */
const maxThings = 20_000;
const maxListed = 100;
/** Records that are read, and at once. */
const maxRecords = 20_000;
const pageSize = 500;
/** Things or records that are judged in one piece: about a millisecond where they are resources. */
const judgedAtATime = 16;

export interface PreviewDeps {
  readonly audit: Pick<AuditLog, 'list'>;
  readonly turn: Turn;
  readonly epochMs: () => number;
}

/** @throws PorticoError INVALID_ARGS for a role or profile that there is not */
export async function previewPolicy(state: PlaneState, change: PolicyChange, on: PreviewDeps): Promise<PolicyPreview> {
  const viewer = viewerOf(state, change.viewer);
  const candidate = candidateOf(state, change);
  const covers = change.pattern && matcherOf(change.pattern.text, change.pattern.list);
  const matches: NamedThing[] = [];
  const changed: ThingChanged[] = [];
  let looked = 0;
  for (const thing of namedThings(state)) {
    if (looked === maxThings) break;
    if (looked % judgedAtATime === 0) await on.turn();
    looked += 1;
    if (covers?.(thing) === true) matches.push(thing);
    const flip = flipOf(state.policy, candidate, viewer, thing);
    if (flip !== undefined) changed.push({ kind: thing.kind, id: thing.id, ...flip });
  }
  return {
    matches: covers && shortened(matches.map(({ kind, id }) => ({ kind, id }))),
    changed: shortened(changed),
    past: change.sinceMs === undefined ? undefined : await pastCalls(state, candidate, change.sinceMs, on),
    isComplete: looked < maxThings,
  };
}

/** With the lists as given; a pattern alone is added to its list. */
function candidateOf({ config, policy }: PlaneState, { lists, pattern }: PolicyChange): PlanePolicy {
  const added = pattern && { [pattern.list]: [...config.policy[pattern.list], pattern.text] };
  const rules = lists ?? added ?? {};
  return compilePlanePolicy({ ...config, policy: { ...config.policy, ...rules } }, policy.secrets);
}

function flipOf(
  inForce: PlanePolicy,
  candidate: PlanePolicy,
  viewer: Viewer,
  { names }: Pick<NamedThing, 'names'>,
): Pick<ThingChanged, 'from' | 'to'> | undefined {
  const from = inForce.decide(viewer, names).kind;
  const to = candidate.decide(viewer, names).kind;
  return from === to ? undefined : { from, to };
}

function shortened<T>(items: readonly T[]): Shortened<T> {
  return { total: items.length, items: items.slice(0, maxListed) };
}

async function pastCalls(
  state: PlaneState,
  candidate: PlanePolicy,
  sinceMs: number,
  { audit, turn, epochMs }: PreviewDeps,
): Promise<PastCalls> {
  const counter = createPreviewCounter(state, candidate);
  const filter = { start_ms: sinceMs, end_ms: epochMs() }; // later records would move those of the pages
  let records = 0;
  let total = 0;
  let oldest: string | undefined;
  do {
    const page = await audit.list(filter, { limit: pageSize, offset: records });
    total = page.total;
    for (const [index, record] of page.events.entries()) {
      if (index % judgedAtATime === 0) await turn();
      counter.add(record);
    }
    oldest = page.events.at(-1)?.timestamp ?? oldest;
    records += page.events.length;
    if (page.events.length === 0) break;
  } while (records < Math.min(total, maxRecords));
  return { sinceMs, records, isComplete: records >= total, oldest, ...counter.read() };
}

const kinds: Readonly<Record<string, CallKind>> = {
  tool_call: 'tool',
  resource_read: 'resource',
  prompt_get: 'prompt',
};

/** Calls with the same id, role and profile have the same verdict: each is worked out once. */
function createPreviewCounter(state: PlaneState, candidate: PlanePolicy) {
  const seen = new Map<string, CallsChanged | undefined>();
  const records = new Set<string>();
  const approvals = new Set<string>();
  let calls = 0;
  let undetermined = 0;

  const judge = (record: AuditRecord, kind: CallKind, id: string): CallsChanged | undefined => {
    const { role = null, profile = null, timestamp } = record;
    const names = namesOf(state, kind, id);
    const flip = flipOf(state.policy, candidate, { role, profile }, { names });
    return flip && { kind, id, role, profile, ...flip, calls: 0, last: { id: record.id, timestamp } };
  };

  /** A call that waited for an approval has a record of that, and one of how it ended; pages may overlap where the log grows. */
  const isAgain = ({ id, approval_id }: AuditRecord): boolean => {
    if (records.has(id) || (approval_id !== undefined && approvals.has(approval_id))) return true;
    records.add(id);
    if (approval_id !== undefined) approvals.add(approval_id);
    return false;
  };

  return {
    add(record: AuditRecord): void {
      const { event_type, capability_id: id, role, profile, status, details } = record;
      const isCall = event_type in kinds || event_type === 'policy_violation';
      if (!isCall || id === undefined || (status === 'intercepted' && details?.interim === true)) return;
      if (isAgain(record)) return;
      calls += 1;
      if (id.includes('[REDACTED]') || !isViewer(state, record)) {
        undetermined += 1;
        return;
      }
      const kind = kinds[event_type] ?? kindOfRefused(record);
      const key = JSON.stringify([kind, id, role, profile]);
      const known = seen.has(key) ? seen.get(key) : judge(record, kind, id);
      seen.set(key, known && { ...known, calls: known.calls + 1 });
    },
    read(): Pick<PastCalls, 'calls' | 'undetermined' | 'changed'> {
      const changed = [...seen.values()].filter((each) => each !== undefined);
      return { calls, undetermined, changed: shortened(changed.sort((a, b) => b.calls - a.calls)) };
    },
  };
}

/** Whether the role and the profile of a record are still configured: of others nothing is decided. */
function isViewer(state: PlaneState, record: AuditRecord): boolean {
  const viewer: Viewer = { profile: record.profile ?? null, role: record.role ?? null };
  return state.policy.roleRules(viewer.role) !== undefined && state.view(viewer) !== undefined;
}

/** A refused call says by its code alone what it was for; a URI has a scheme. */
function kindOfRefused({ error_code, capability_id = '' }: AuditRecord): CallKind {
  if (error_code === 'PROMPT_NOT_FOUND') return 'prompt';
  return error_code === 'RESOURCE_NOT_FOUND' || /^[\w-]+\.[a-z][\w+.-]*:/i.test(capability_id) ? 'resource' : 'tool';
}

/**
 * Checks that a preview names a pattern or lists.
 * @throws PorticoError INVALID_ARGS if nothing is asked
 */
export function requireChange({ pattern, lists }: Pick<PolicyChange, 'pattern' | 'lists'>): void {
  if (pattern === undefined && lists === undefined)
    throw new PorticoError('INVALID_ARGS', 'body: give a pattern, or the lists of policy as they would be');
}
