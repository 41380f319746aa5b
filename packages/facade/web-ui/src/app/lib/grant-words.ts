// Grants in words: which later calls one answers, how long it lasts, and why it ended. Only computations.
import type { Answers } from '@portico/client';
import { exactTextOf, type KeptArgument, plural, writeExact } from '@portico/contracts';
import { listed } from './format.js';
import { cutText } from './visible.js';

export type Grant = Answers['getGrant']['grant'];

/** The calls that a grant answers, or will answer once it is made. */
export interface GrantScope {
  readonly kind: Grant['kind'];
  readonly capability: string;
  readonly conditions: readonly KeptArgument[];
  /** JSON pointers to arguments that may have any value. */
  readonly free: readonly string[];
}

/** Characters of a value in a sentence. */
const roomOfValue = 80;

/** Other names are quoted, so that none reads like a part of the sentence. */
const plainName = /^[\p{L}\p{N}_$-]+$/u;

/** The name of an argument: `repo` for `/repo`, `options.dry_run` for `/options/dry_run`, `"to whom"` for `/to whom`. */
export function nameOfPath(path: string): string {
  const names = path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map((name) => (plainName.test(name) ? name : JSON.stringify(name))).join('.');
}

/** `title and body`; empty without paths. */
export function namesOf(paths: readonly string[]): string {
  return listed(paths.map(nameOfPath));
}

/** `repo: "acme/site"`, with all of the value. */
export function conditionLine(condition: KeptArgument): string {
  return `${nameOfPath(condition.path)}: ${valueText(condition)}`;
}

/** A number as it was sent, to the last digit. */
function valueText(condition: KeptArgument): string {
  const { value } = condition;
  return (typeof value === 'number' ? exactTextOf(condition, 'value', value) : undefined) ?? writeExact(value);
}

function shortLine(condition: KeptArgument): string {
  const line = conditionLine(condition);
  return line.length <= roomOfValue ? line : `${cutText(line, roomOfValue)}… (${plural(line.length, 'character')})`;
}

const verbs: Readonly<Record<GrantScope['kind'], string>> = {
  tool: 'runs of',
  resource: 'reads of',
  prompt: 'uses of the prompt',
};

/** `runs of github.create_issue with repo: "acme/site", and any value of title and body` */
export function scopeText({ kind, capability, conditions, free }: GrantScope): string {
  const kept = conditions.map(shortLine).join(', ');
  const any = namesOf(free);
  const start = `${verbs[kind]} ${capability}`;
  if (kept === '' && any === '') return `${start} without arguments`;
  if (any === '') return `${start} with exactly ${kept}`;
  return `${start} with ${kept === '' ? '' : `${kept}, and `}any value of ${any}`;
}

/** `Up to 20 more calls of the same caller within 8 h will not wait for a person: runs of … Every other call asks as before.` */
export function offerText(scope: GrantScope, uses: number, ttlSecs: number): string {
  const times = uses === 1 ? 'One more call' : `Up to ${uses.toLocaleString('en-US')} more calls`;
  return `${times} of the same caller within ${ttlText(ttlSecs)} will not wait for a person: ${scopeText(scope)}. Every other call asks as before.`;
}

/** `15 min`, `8 h`, `1 h 30 min`, `30 days` */
export function ttlText(secs: number): string {
  const parts = (
    [
      [Math.floor(secs / 86_400), 'day'],
      [Math.floor(secs / 3600) % 24, 'h'],
      [Math.floor(secs / 60) % 60, 'min'],
      [secs % 60, 's'],
    ] as const
  ).filter(([amount]) => amount > 0);
  return parts.map(([amount, unit]) => (unit === 'day' ? plural(amount, unit) : `${amount} ${unit}`)).join(' ');
}

const usualTtls = [900, 3600, 4 * 3600, 8 * 3600, 86_400, 7 * 86_400] as const;

/** Times that are offered, in seconds: the usual ones within the limit, and the limit. */
export function ttlChoices(maxSecs: number): readonly number[] {
  return [...usualTtls.filter((secs) => secs < maxSecs), maxSecs];
}

const states: Readonly<Record<Exclude<Grant['state'], 'void'>, string>> = {
  active: 'active',
  used_up: 'used up',
  expired: 'expired',
  revoked: 'revoked',
};

const voidReasons: Readonly<Record<NonNullable<Grant['void_reason']>, string>> = {
  definition_changed: 'void: its definition changed',
  policy_changed: 'void: the rules changed',
  server_removed: 'void: its server was removed',
};

export function stateText({ state, void_reason: reason }: Pick<Grant, 'state' | 'void_reason'>): string {
  if (state !== 'void') return states[state];
  return reason === undefined ? 'void' : voidReasons[reason];
}

/** `12 of 20` */
export function usesText({ uses, uses_left: left }: Pick<Grant, 'uses' | 'uses_left'>): string {
  return `${left.toLocaleString('en-US')} of ${uses.toLocaleString('en-US')}`;
}

export function scopeOfGrant({ kind, capability_id, conditions, free }: Grant): GrantScope {
  return { kind, capability: capability_id, conditions, free };
}
