// Reads everything a server offers: all pages of all lists it declares. Results are not cached. An invalid entry or
// list is left out, with one warning per list.
import { type DefinitionProblem, isJsonObject, type JsonObject, type UpstreamDefinitions } from '@portico/contracts';
import { type Checked, checkKey } from './check-definition.js';
import { type OnDropped, toPrompt, toResource, toTemplate, toTool } from './definitions.js';
import { excerpt, messageOf, rejectionCode } from './failures.js';
import { type InStage, unnamed } from './server-work.js';
import { rpcErrors } from './wire.js';

/** Sends one request and gives its result. @throws UpstreamFailure */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

export type Warn = (message: string) => void;

interface ListKind<T> {
  readonly method: string;
  /** The member of the result that holds the entries. */
  readonly member: DefinitionProblem['list'];
  /** The field an entry is known by and cannot do without. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  readonly toDefinition: (entry: JsonObject, key: string, onDropped: OnDropped) => Checked<T>;
}

const toolKind = { method: 'tools/list', member: 'tools', key: 'name', toDefinition: toTool } as const;
const resourceKind = { method: 'resources/list', member: 'resources', key: 'uri', toDefinition: toResource } as const;
const templateKind = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  key: 'uriTemplate',
  toDefinition: toTemplate,
} as const;
const promptKind = { method: 'prompts/list', member: 'prompts', key: 'name', toDefinition: toPrompt } as const;

/** The watchdog's name for reading a page. */
export const listingStage = 'reading a listing';

const maxPages = 1_000;
/** Per list. More than any catalog is good for; without a limit one server could fill the memory. */
const maxEntries = 10_000;

/** Per server: more than a person reads. */
const maxProblems = 50;

const nothing: UpstreamDefinitions = { tools: [], resources: [], resourceTemplates: [], prompts: [] };

type ListOutcome<T> =
  | { readonly status: 'read'; readonly entries: readonly T[]; readonly problems: readonly DefinitionProblem[] }
  | { readonly status: 'absent'; readonly entries: readonly [] }
  | { readonly status: 'refused'; readonly entries: readonly []; readonly error: unknown };

/**
 * Lists that the server does not declare, or does not know after all, are empty. One that it answers with an error is
 * as it was when it was read before.
 * @throws UpstreamFailure when the server cannot be reached, or refuses its tools and has no other list to offer.
 */
export async function discover(
  ask: Ask,
  capabilities: JsonObject,
  warn: Warn,
  before: UpstreamDefinitions = nothing,
  inStage: InStage = unnamed,
): Promise<UpstreamDefinitions> {
  const read = <T>(capability: string, kind: ListKind<T>): Promise<ListOutcome<T>> =>
    isJsonObject(capabilities[capability])
      ? readOrRefused(ask, kind, warn, inStage)
      : Promise.resolve({ status: 'absent', entries: [] });
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    read('tools', toolKind),
    read('resources', resourceKind),
    read('resources', templateKind),
    read('prompts', promptKind),
  ]);
  const others = [resources, resourceTemplates, prompts];
  if (tools.status === 'refused' && others.every(({ status }) => status !== 'read')) throw tools.error;
  const lists = [tools, ...others];
  const problems = firstOf(lists.flatMap((list) => (list.status === 'read' ? list.problems : [])));
  return {
    ...(problems.length === 0 ? {} : { problems }),
    tools: tools.status === 'refused' ? before.tools : tools.entries,
    resources: resources.status === 'refused' ? before.resources : resources.entries,
    resourceTemplates: resourceTemplates.status === 'refused' ? before.resourceTemplates : resourceTemplates.entries,
    prompts: prompts.status === 'refused' ? before.prompts : prompts.entries,
  };
}

async function readOrRefused<T>(ask: Ask, kind: ListKind<T>, warn: Warn, inStage: InStage): Promise<ListOutcome<T>> {
  try {
    return { status: 'read', ...(await readList(ask, kind, warn, inStage)) };
  } catch (error) {
    const code = rejectionCode(error);
    if (code === undefined) throw error;
    if (code === rpcErrors.methodNotFound) return { status: 'absent', entries: [] };
    warn(`${kind.method}: the server answered with an error, the list stays as it was: ${messageOf(error)} (${code})`);
    return { status: 'refused', entries: [], error };
  }
}

/** Those left out first. */
function firstOf(problems: readonly DefinitionProblem[]): DefinitionProblem[] {
  const sorted = [...problems].sort((a, b) => Number(b.left_out) - Number(a.left_out));
  const [next] = sorted.slice(maxProblems);
  if (next === undefined) return sorted;
  const reason = `${sorted.length - maxProblems} more definitions are left out or repaired`;
  return [...sorted.slice(0, maxProblems), { ...next, name: '…', reason }];
}

interface ListRead<T> {
  readonly entries: readonly T[];
  readonly problems: readonly DefinitionProblem[];
}

async function readList<T>(ask: Ask, kind: ListKind<T>, warn: Warn, inStage: InStage): Promise<ListRead<T>> {
  const definitions: T[] = [];
  const problems: DefinitionProblem[] = [];
  let keyless = 0;
  const mended: string[] = [];
  const leftOut: string[] = [];
  const note = (name: string, left_out: boolean, reason: string) =>
    problems.push({ list: kind.member, name: excerpt(name, 100), left_out, reason: excerpt(reason, 300) });
  const take = (entry: unknown) => {
    const key = isJsonObject(entry) ? entry[kind.key] : undefined;
    if (!isJsonObject(entry) || typeof key !== 'string') {
      keyless += 1;
      note('', true, `it has no ${kind.key}`);
      return;
    }
    const dropped: string[] = [];
    const fault = checkKey(kind.key, key);
    const checked =
      fault === undefined
        ? kind.toDefinition(entry, key, (field) => dropped.push(field))
        : { ok: false as const, reason: fault };
    if (!checked.ok) {
      leftOut.push(`"${excerpt(key, 100)}" (${excerpt(checked.reason, 200)})`);
      note(key, true, checked.reason);
      return;
    }
    definitions.push(checked.value);
    if (dropped.length === 0) return;
    mended.push(`"${excerpt(key, 100)}" (${dropped.join(', ')})`);
    note(key, false, `dropped or repaired: ${dropped.join(', ')}`);
  };
  const takePage = (items: readonly unknown[]) => {
    for (const item of items) {
      if (definitions.length >= maxEntries) return false;
      take(item);
    }
    return true;
  };
  const fault = await readPages(ask, kind, (items) => inStage(listingStage, () => takePage(items)));
  if (fault !== null) warn(`${kind.method}: ${fault}`);
  if (keyless > 0) warn(`${kind.method}: skipped ${entries(keyless)} without ${kind.key}`);
  if (leftOut.length > 0) {
    warn(`${kind.method}: left out ${entries(leftOut.length)} against the MCP schema: ${fewOf(leftOut)}`);
  }
  if (mended.length > 0) {
    warn(`${kind.method}: dropped fields of the wrong type in ${entries(mended.length)}: ${fewOf(mended)}`);
  }
  return { entries: definitions, problems };
}

/**
 * Passes on the entries of all pages until `take` returns false. Returns the reason why the list was cut short, or
 * null.
 */
async function readPages(
  ask: Ask,
  { method, member }: Pick<ListKind<unknown>, 'method' | 'member'>,
  take: (entries: readonly unknown[]) => boolean,
): Promise<string | null> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const result = await ask(method, cursor === undefined ? {} : { cursor });
    const items = result[member];
    if (Array.isArray(items) && !take(items))
      return `more than ${maxEntries} entries (a fixed limit); the rest is left out`;
    const next = result.nextCursor;
    if (typeof next !== 'string') return null; // the empty string is a cursor like any other
    if (cursors.has(next)) return 'the server repeats a cursor; the list ends there';
    cursors.add(next);
    cursor = next;
  }
  return `more than ${maxPages} pages (a fixed limit); the rest is left out`;
}

const entries = (count: number) => (count === 1 ? '1 entry' : `${count} entries`);

/** The first few of many things, and how many there are. */
export function fewOf(things: readonly string[]): string {
  const shown = things.slice(0, 3).join(', ');
  return things.length > 3 ? `${shown} and ${things.length - 3} more` : shown;
}
