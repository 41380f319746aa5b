// Sentences about the lock of definitions: what a change is, what is held, and what a person does next.
import type { LockMode } from '../config/lock-schema.js';
import type { FindingView, LockState } from '../wire/lock.js';
import { type DriftClassName, type DriftView, dangerousDriftClasses, harmlessDriftClasses } from '../wire/lock.js';
import { plural } from './amounts.js';

/** The meaning of each class of drift, as a sentence. */
export const driftSentences: Readonly<Record<DriftClassName, string>> = {
  cosmetic: 'Only white space, order, icons or the version differ.',
  narrowed: 'Its schema accepts less than before.',
  removed: 'The server does not list it any more.',
  renamed: 'It has the description and the schema of one that was removed.',
  new: 'It is not in the lock.',
  description: 'Text that models read is another.',
  widened: 'Its schema accepts more than before, or that is not ruled out.',
  output: 'Its results may look different.',
  annotation_weakened: 'A hint that promised less harm was taken back.',
  identity: 'The server has another command, package or name.',
  suspicious: 'The changed text has characters that are not seen.',
};

/** A class as it is read: `annotation weakened`. */
export function driftWord(found: DriftClassName): string {
  return found.replaceAll('_', ' ');
}

/** How much care a class of drift takes. */
export function driftSeverity(found: DriftClassName): 'harmless' | 'review' | 'dangerous' {
  const isIn = (classes: readonly DriftClassName[]) => classes.includes(found);
  return isIn(dangerousDriftClasses) ? 'dangerous' : isIn(harmlessDriftClasses) ? 'harmless' : 'review';
}

const kinds: Readonly<Record<DriftView['kind'], string>> = {
  server: 'server',
  tool: 'tool',
  prompt: 'prompt',
  resource_template: 'resource template',
};

/** "tool github.create_issue", "server github" */
export function definitionTitle({
  kind,
  server_id: server,
  name,
}: Pick<DriftView, 'kind' | 'server_id' | 'name'>): string {
  return kind === 'server' ? `server ${server}` : `${kinds[kind]} ${server}.${name}`;
}

/** The meaning of each finding, as a sentence that its evidence follows. */
export const findingSentences: Readonly<Record<FindingView['rule'], string>> = {
  hidden_characters: 'has characters that are not seen',
  instructions_to_model: 'has words that are addressed to a model, against its user',
  shadowed_name: 'has the name of a tool of another server',
  contradicting_annotation: 'promises what its name contradicts',
};

/** The most certain signs of an attack first, names that are merely alike last. */
const findingOrder: readonly FindingView['rule'][] = [
  'hidden_characters',
  'instructions_to_model',
  'contradicting_annotation',
  'shadowed_name',
];

/** Findings in the order in which a person reads them. */
export function worstFindingsFirst(findings: readonly FindingView[]): readonly FindingView[] {
  return [...findings].sort((a, b) => findingOrder.indexOf(a.rule) - findingOrder.indexOf(b.rule));
}

/** The effect of each mode, as a sentence. */
export const lockModeSentences: Readonly<Record<LockMode, string>> = {
  off: 'Nothing is compared.',
  warn: 'Changed definitions are reported and stay in use.',
  enforce: 'Changed definitions are neither listed nor callable until a person accepts them.',
};

/** The parts of the lock that wait for a person. */
export interface LockNeeds {
  /** Why everything of the enforced servers is held; then no server is named. */
  readonly fault?: string;
  readonly held: readonly LockState['servers'][number][];
}

/** Returns the parts of the lock that need a person: nothing in mode `warn`, in which nothing is held. */
export function lockNeedsOf(state: LockState | undefined): LockNeeds {
  if (state === undefined) return { held: [] };
  const { fault, servers } = state;
  if (fault !== undefined && servers.some(({ mode }) => mode === 'enforce')) return { fault, held: [] };
  return { held: servers.filter(({ held, wholly_held: isWhole }) => held > 0 || isWhole) };
}

/** "has 2 definitions that are held until you accept them", behind the id of a server. */
export function heldText({ held, wholly_held: isWhole }: Pick<LockState['servers'][number], 'held' | 'wholly_held'>) {
  if (isWhole) return 'is not as it was accepted: nothing of it is used until you accept it';
  return `has ${plural(held, 'definition')} that ${held === 1 ? 'is' : 'are'} held until you accept ${held === 1 ? 'it' : 'them'}`;
}

/** The sentence for a lock that cannot be used; its reason follows. */
export const lockFaultText = 'The lock cannot be used, and everything is held';

/** "12 changes, 3 held, 1 dangerous" */
export function driftSummary(drifts: readonly Pick<DriftView, 'class' | 'held'>[]): string {
  const held = drifts.filter((drift) => drift.held).length;
  const dangerous = drifts.filter((drift) => driftSeverity(drift.class) === 'dangerous').length;
  const parts = [
    plural(drifts.length, 'change'),
    ...(held === 0 ? [] : [`${held} held`]),
    ...(dangerous === 0 ? [] : [`${dangerous} dangerous`]),
  ];
  return parts.join(', ');
}
