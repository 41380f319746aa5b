// Compares two versions of one definition field by field, and gives each change its class.
import { canonicalize } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import { classifyIcons, classifyVersion } from './classify-info.js';
import type { DriftClass, FieldChange } from './drift.js';
import { hiddenCharacters } from './hidden-characters.js';
import { isNarrower } from './is-narrower.js';
import type { ListedServer, LockedKind, ServerIdentity } from './lock-file.js';
import { textsOfSchema, withoutWords } from './schema-parts.js';

type Value = JsonValue | undefined;
type Classify = (before: Value, after: Value) => DriftClass;

/** @returns no change where only something differs that has no canonical form of its own */
export function classifyDefinition(kind: LockedKind, before: JsonObject, after: JsonObject): readonly FieldChange[] {
  return fieldChanges(before, after, (field) => classifiers[kind].get(field) ?? classifyWords);
}

/**
 * Lists the changes of an identity. A server that was not reached since the start has not given its identity, so only its
 * program is compared. For one that was reached, a locked member that is absent now is a change.
 */
export function classifyIdentity(
  before: ServerIdentity,
  { identity: after, hasNoPackage = false }: Pick<ListedServer, 'identity' | 'hasNoPackage'>,
): readonly FieldChange[] {
  const isNow = isRead(after);
  const havePackage = before.package !== undefined && (hasNoPackage || after.package !== undefined);
  const haveInfo = isNow && before.info !== undefined;
  const haveInstructions = isNow && isRead(before);
  const partsOf = ({ program, package: found, info = {}, instructions }: ServerIdentity): JsonObject => {
    return {
      program,
      ...(havePackage ? { package: found } : {}),
      ...(haveInfo ? membersOf(info) : {}),
      ...(haveInstructions ? { instructions } : {}),
    };
  };
  return fieldChanges(partsOf(before), partsOf(after), classifierOfIdentity);
}

/** Each member of `serverInfo` by itself; the name is there in any case. */
function membersOf(info: JsonObject): JsonObject {
  const members = Object.entries(info).map(([name, value]) => [`${infoPrefix}${name}`, value]);
  return { [`${infoPrefix}name`]: info.name, ...Object.fromEntries(members) };
}

/** Members of `serverInfo` that have no class of their own are words, such as `title` and `description`. */
function classifierOfIdentity(field: string): Classify {
  const isWords = field.startsWith(infoPrefix) && field !== `${infoPrefix}name`;
  return identityClasses.get(field) ?? (isWords ? classifyWords : always('identity'));
}

const infoPrefix = 'serverInfo.';

/** Whether the server was reached: it has said something, if only that it has no name. */
function isRead({ package: found, info, instructions }: ServerIdentity): boolean {
  return found !== undefined || info !== undefined || instructions !== undefined;
}

function fieldChanges(
  before: JsonObject,
  after: JsonObject,
  classifierOf: (field: string) => Classify,
): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields.flatMap((field): FieldChange[] => {
    const [was, is] = [memberOf(before, field), memberOf(after, field)];
    if (isEqual(was, is)) return [];
    const found = classifierOf(field)(was, is);
    const isHidden = found !== 'cosmetic' && hiddenCharacters(is).length > 0;
    return [{ field, class: isHidden ? 'suspicious' : found, before: textOf(was), after: textOf(is) }];
  });
}

const always =
  (each: DriftClass): Classify =>
  () =>
    each;

/** Texts, and any other value that a model may read. Hidden characters do not count as white space. */
const classifyWords: Classify = (before, after) => {
  if (typeof before !== 'string' || typeof after !== 'string') return 'description';
  if (hiddenCharacters(after).length > 0) return 'description'; // which hidden characters raise
  return squeezed(before) === squeezed(after) ? 'cosmetic' : 'description';
};

const classifyInput: Classify = (before, after) => {
  if (isEqual(withoutWords(before), withoutWords(after))) return 'description';
  if (!isNarrower(before, after)) return 'widened';
  return haveSameWords(before, after) ? 'narrowed' : 'description';
};

const classifyOutput: Classify = (before, after) =>
  isEqual(withoutWords(before), withoutWords(after)) ? 'description' : 'output';

/** The hints of MCP `ToolAnnotations`, by the value that promises least harm, and what their absence means. */
const hints = [
  { hint: 'readOnlyHint', harmless: true, absent: false },
  { hint: 'destructiveHint', harmless: false, absent: true },
  { hint: 'idempotentHint', harmless: true, absent: false },
  { hint: 'openWorldHint', harmless: false, absent: true },
];

const classifyAnnotations: Classify = (before = {}, after = {}) => {
  if (!isJsonObject(before) || !isJsonObject(after)) return 'annotation_weakened';
  const isWeakened = hints.some(
    ({ hint, harmless, absent }) => (before[hint] ?? absent) === harmless && (after[hint] ?? absent) !== harmless,
  );
  return isWeakened ? 'annotation_weakened' : 'description';
};

/** Arguments of a prompt: a list of `{name, description?, required?}`. */
const classifyArguments: Classify = (before = [], after = []) => {
  const [was, is] = [argumentsOf(before), argumentsOf(after)];
  if (was === undefined || is === undefined) return 'widened';
  const isWider = [...is].some(([name, argument]) => {
    const old = was.get(name);
    return old === undefined || (old.required === true && argument.required !== true);
  });
  if (isWider) return 'widened';
  const kept = [...is].map(([name, argument]) => [was.get(name), argument] as const);
  const isReworded = kept.some(([old, { required, ...words }]) => {
    const { required: was, ...oldWords } = old ?? {};
    const isFlag = required === undefined || typeof required === 'boolean' || isEqual(was, required);
    return !isFlag || !isEqual(oldWords, words);
  });
  return isReworded ? 'description' : 'narrowed';
};

/** Maps, since a server chooses names: `constructor` is a member of every object. */
const icons = ['icons', classifyIcons] as const;
const classifiers: Readonly<Record<LockedKind, ReadonlyMap<string, Classify>>> = {
  tool: new Map([
    icons,
    ['inputSchema', classifyInput],
    ['outputSchema', classifyOutput],
    ['annotations', classifyAnnotations],
  ]),
  prompt: new Map([icons, ['arguments', classifyArguments]]),
  resource_template: new Map([icons, ['mimeType', always('output')], ['annotations', always('description')]]),
};
const identityClasses: ReadonlyMap<string, Classify> = new Map([
  ['instructions', classifyWords],
  ['serverInfo.version', classifyVersion],
  ['serverInfo.icons', classifyIcons],
  ['serverInfo.websiteUrl', classifyWords],
]);

function memberOf(object: JsonObject, name: string): Value {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Undefined for what is no list of arguments, each with a name of its own. */
function argumentsOf(value: Value): ReadonlyMap<JsonValue | undefined, JsonObject> | undefined {
  if (!Array.isArray(value) || !value.every(isJsonObject)) return undefined;
  const byName = new Map(value.map((argument) => [argument.name, argument]));
  const isNamed = [...byName.keys()].every((name) => typeof name === 'string') && byName.size === value.length;
  return isNamed ? byName : undefined;
}

/** Whether a schema that was narrowed says nothing new in words: each of its texts is one of the old schema. */
function haveSameWords(before: Value, after: Value): boolean {
  const known = new Set(textsOfSchema(before));
  for (const text of textsOfSchema(after)) if (!known.has(text)) return false;
  return true;
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();

function isEqual(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a === b || canonicalize(a) === canonicalize(b);
}

/** The text that a person compares; null if there is no value. */
export function textOf(value: Value): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(parseJson(canonicalize(value)), null, 2);
}
