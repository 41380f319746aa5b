// The ways to keep an approval that a question to an MCP client offers. They are generated: an answer picks one of them,
// and cannot name a scope of its own.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { pointerTo, type Redactor } from '@portico/policy-engine';
import type { CompiledGrants } from '../state/grant-rules.js';
import type { GrantRequest, GrantScope } from './grant-offer.js';

export interface GrantChoices {
  /** The pointers that a choice keeps, by the word for it; undefined keeps all arguments. */
  readonly scopes: ReadonlyMap<string, readonly string[] | undefined>;
  /** Seconds by the word for them, the shortest time first. */
  readonly times: ReadonlyMap<string, number>;
  /** The fewest first. */
  readonly uses: readonly number[];
}

const times: readonly (readonly [string, number])[] = [
  ['15m', 900],
  ['1h', 3600],
  ['8h', 28_800],
  ['1d', 86_400],
];
const uses = [5, 20, 100];
const maxArguments = 8;
const maxValue = 200;

export function grantChoices(
  { conditions }: GrantScope,
  { maxTtlSecs, maxUses }: CompiledGrants,
  redactor: Redactor,
): GrantChoices {
  const scopes = new Map<string, readonly string[] | undefined>([['same_arguments', undefined]]);
  const single = conditions.flatMap(({ path, value }) => {
    const name = path.slice(1);
    const isShort = typeof value === 'string' ? value.length <= maxValue : typeof value === 'number';
    const isPlain = /^[A-Za-z0-9_.-]{1,64}$/.test(name) && path === pointerTo(name);
    const redacted = redactor.redact({ [name]: value });
    const isShown = isJsonObject(redacted) && redacted[name] === value;
    return isShort && isPlain && isShown ? [name] : [];
  });
  if (conditions.length > 1)
    for (const name of single.slice(0, maxArguments)) scopes.set(`this_${name}`, [pointerTo(name)]);
  const fitting = times.filter(([, secs]) => secs <= maxTtlSecs);
  const fittingUses = uses.filter((count) => count <= maxUses);
  return {
    scopes,
    times: new Map(fitting.length === 0 ? [[`${maxTtlSecs}s`, maxTtlSecs]] : fitting),
    uses: fittingUses.length === 0 ? [maxUses] : fittingUses,
  };
}

/** The fields of a form that take such a choice. */
export function choiceFields({ scopes, times: offered, uses: counts }: GrantChoices): JsonObject {
  return {
    decision: {
      type: 'string',
      title: 'Decision',
      description:
        'once: this call only. same_arguments: also later calls with the same arguments. this_…: also later calls with this argument unchanged and any values of the others.',
      enum: ['once', ...scopes.keys(), 'no'],
    },
    for: {
      type: 'string',
      title: 'For how long',
      description: 'Time for later calls; the shortest without a choice',
      enum: [...offered.keys()],
    },
    uses: {
      type: 'string',
      title: 'Later calls',
      description: 'How many later calls are answered; the fewest without a choice',
      enum: counts.map(String),
    },
  };
}

/** Undefined for an answer that was not offered. */
export function chosenGrant(
  { scopes, times: offered, uses: counts }: GrantChoices,
  content: JsonObject,
): GrantRequest | undefined {
  const { decision, for: time, uses: count } = content;
  if (typeof decision !== 'string' || !scopes.has(decision)) return undefined;
  const [shortest] = offered.values();
  const [fewest] = counts;
  const ttlSecs = time === undefined ? shortest : typeof time === 'string' ? offered.get(time) : undefined;
  const wanted = count === undefined ? fewest : counts.find((each) => String(each) === count);
  if (ttlSecs === undefined || wanted === undefined) return undefined;
  return { ttlSecs, uses: wanted, keep: scopes.get(decision) };
}
