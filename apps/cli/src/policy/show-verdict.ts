// A verdict for a person: first what it is, then which rule, what the caller reads, and what of the arguments is kept back.
import type { PolicyTested } from '@portico/contracts';
import { showFields } from '../output/describe.js';
import type { Output } from '../output/output.js';
import { toPlainCell } from '../output/plain-text.js';

export function showVerdict(output: Output, tested: PolicyTested, role: string | null, profile: string | null): void {
  const { id, arguments: args, answer, names, near, is_known: isKnown } = tested;
  const asked = [role === null ? '' : ` as ${role}`, profile === null ? '' : ` through ${profile}`].join('');
  output.painted(output.paint.bold(toPlainCell(`${id}${asked}: ${wordOf(tested)}`)));
  showFields(output, {
    rule: ruleOf(tested),
    grant: tested.grants && `${tested.grants.join(', ')} would answer it, for the caller that it was made for`,
    'depends on': tested.depends_on.length === 0 ? undefined : `the arguments: ${tested.depends_on.join(', ')}`,
    'would be': shadowOf(tested),
    answer: answer === null ? undefined : `${answer.status} ${answer.code}: ${answer.message}`,
    arguments: args === null ? undefined : fitOf(args),
    redacted: args?.redacted.join(', '),
    'tried on': names.length > 1 ? names.join(', ') : undefined,
    definition: isKnown || tested.effect === 'not_found' ? undefined : 'unknown: its server has not been read',
    'did you mean': near.join(', '),
  });
}

const words: Readonly<Record<PolicyTested['effect'], string>> = {
  runs: 'allowed',
  waits_for_approval: 'needs approval',
  denied: 'denied',
  not_found: 'absent',
};

function wordOf({ effect, depends_on }: PolicyTested): string {
  return effect === 'runs' && depends_on.length > 0 ? 'depends on its arguments' : words[effect];
}

function ruleOf({ rule, decision, effect, written_at: places }: PolicyTested): string {
  const where = places.length === 0 ? '' : ` (${places.join(', ')})`;
  if (rule !== null) return `${rule}${where}`;
  if (decision === 'not_allowed') return `no allow rule covers it${where}`;
  return effect === 'not_found' && places.length > 0 ? `its server is not in the profile${where}` : 'none';
}

const shadowWords = {
  deny: 'denied',
  not_allowed: 'absent',
  require_approval: 'held for approval',
  allow: '',
} as const;

function shadowOf({ shadow }: PolicyTested): string | undefined {
  if (shadow === null) return undefined;
  const by = shadow.rule === null ? 'the shadow allow list' : `the shadow rule ${shadow.rule}`;
  return `${shadowWords[shadow.decision]} by ${by} (${shadow.written_at.join(', ')})`;
}

function fitOf({ fits, problem, converted }: NonNullable<PolicyTested['arguments']>): string {
  if (fits === 'unknown') return 'not checked against a schema';
  if (fits === 'no') return `do not fit: ${problem ?? ''}`;
  return converted.length === 0 ? 'fit the schema' : `fit the schema, after converting ${converted.join(', ')}`;
}
