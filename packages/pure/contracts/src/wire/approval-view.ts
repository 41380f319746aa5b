// A ticket as a person reads it before deciding: the same shape, and the same lines of text, in every channel.
// Everything in it is made visible already; a channel prints it as text and adds nothing.
import * as v from 'valibot';

const shownArgumentSchema = v.object({
  depth: v.pipe(v.number(), v.integer(), v.description('How many objects and lists it is in')),
  key: v.pipe(v.string(), v.description('Its name, with hidden characters escaped; `[0]` in a list')),
  value: v.pipe(
    v.string(),
    v.description('The text itself, with hidden characters escaped, and its length where it is long'),
  ),
  redacted: v.boolean(),
});
export type ShownArgument = Readonly<v.InferOutput<typeof shownArgumentSchema>>;

const shownArgumentsSchema = v.object({
  entries: v.array(shownArgumentSchema),
  omitted: v.pipe(v.number(), v.integer(), v.description('Keys and list entries that found no room')),
  complete: v.pipe(v.boolean(), v.description('Whether nothing is omitted and no key or value is cut')),
});
export interface ShownArguments extends Omit<v.InferOutput<typeof shownArgumentsSchema>, 'entries'> {
  readonly entries: readonly ShownArgument[];
}

const definitionChangeSchema = v.object({
  what: v.pipe(v.string(), v.description('Part of the definition, with its path where it has parts of its own')),
  before: v.pipe(v.nullable(v.string()), v.description('Null if it was absent')),
  after: v.pipe(v.nullable(v.string()), v.description('Null if it was removed')),
});
export type DefinitionChange = Readonly<v.InferOutput<typeof definitionChangeSchema>>;

/** A ticket as a person sees it: arguments, and how the tool's definition has changed. */
export const approvalViewSchema = v.object({
  arguments: shownArgumentsSchema,
  definition_digest: v.pipe(
    v.nullable(v.string()),
    v.description('Digest of the definition that the ticket asks about; null for a ticket of an earlier version'),
  ),
  description: v.pipe(v.nullable(v.string()), v.description('Description in the definition, as its server words it')),
  reasked: v.pipe(v.boolean(), v.description('Whether the definition was another when the ticket was opened')),
  changes: v.pipe(v.array(definitionChangeSchema), v.description('From then to now, where it was asked again')),
  changes_complete: v.pipe(v.boolean(), v.description('Whether `changes` has all of the difference, none of it cut')),
});
export interface ApprovalView {
  readonly arguments: ShownArguments;
  readonly definition_digest: string | null;
  readonly description: string | null;
  readonly reasked: boolean;
  readonly changes: readonly DefinitionChange[];
  readonly changes_complete: boolean;
}

/** One line for each argument. */
export function argumentLines({ entries, omitted }: ShownArguments): readonly string[] {
  if (entries.length === 0 && omitted === 0) return ['(no arguments)'];
  const lines = entries.map(({ depth, key, value }) => `${indentOf(depth)}${key}: ${value}`);
  return omitted === 0 ? lines : [...lines, `(${omitted} more keys and entries are not shown)`];
}

/** Levels that are indented: deeper ones would be pushed out of sight, and say their level instead. */
const maxIndent = 16;

function indentOf(depth: number): string {
  return depth <= maxIndent ? '  '.repeat(depth) : `${'  '.repeat(maxIndent)}(level ${depth}) `;
}

/** Changes since the ticket was opened; none if it asks about the original call. */
export function changeLines(view: Pick<ApprovalView, 'reasked' | 'changes' | 'changes_complete'>): readonly string[] {
  const { reasked, changes } = view;
  if (!reasked) return [];
  const title = 'CHANGED since this ticket was opened:';
  if (changes.length === 0) return [title, '  its definition then is not known, or is the same again'];
  const lines = changes.flatMap(({ what, before, after }) => [`  ${what}`, ...sideLines(before, after)]);
  return view.changes_complete
    ? [title, ...lines]
    : [title, ...lines, '  (the difference is larger than what is shown)'];
}

function sideLines(before: string | null, after: string | null): readonly string[] {
  return [`    - ${before ?? '(not there)'}`, `    + ${after ?? '(gone)'}`];
}
