// Reads everything a server offers: all pages of all lists it declares, each entry whole. Results are not cached and
// not validated beyond the field an entry is known by.
import { isJsonObject, type JsonObject, type UpstreamDefinitions } from '@portico/contracts';
import { rejectionCode } from './failures.js';
import { rpcErrors } from './wire.js';

/** Sends one request and gives its result. @throws UpstreamFailure */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

export type Warn = (message: string) => void;

interface ListKind {
  readonly method: string;
  /** The member of the result that holds the entries. */
  readonly member: keyof UpstreamDefinitions;
  /** The field an entry cannot do without. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
}

const tools: ListKind = { method: 'tools/list', member: 'tools', key: 'name' };
const resources: ListKind = { method: 'resources/list', member: 'resources', key: 'uri' };
const templates: ListKind = { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' };
const prompts: ListKind = { method: 'prompts/list', member: 'prompts', key: 'name' };

const maxPages = 1_000;

/** Lists that the server does not declare are empty, and so are those it does not know after all. */
export async function discover(ask: Ask, capabilities: JsonObject, warn: Warn): Promise<UpstreamDefinitions> {
  const declared = (name: string, kind: ListKind) =>
    isJsonObject(capabilities[name]) ? readList(ask, kind, warn) : Promise.resolve([]);
  const [toolList, resourceList, templateList, promptList] = await Promise.all([
    declared('tools', tools),
    declared('resources', resources),
    declared('resources', templates),
    declared('prompts', prompts),
  ]);
  return {
    tools: toolList.map((tool) => (isJsonObject(tool.inputSchema) ? tool : { ...tool, inputSchema: {} })),
    resources: resourceList.map(named),
    resourceTemplates: templateList.map(named),
    prompts: promptList,
    // Each entry has its key and the few fields that were filled in above; the rest is as the server sent it.
  } as unknown as UpstreamDefinitions;
}

const named = (entry: JsonObject): JsonObject =>
  typeof entry.name === 'string' ? entry : { ...entry, name: entry.uri ?? entry.uriTemplate };

async function readList(ask: Ask, kind: ListKind, warn: Warn): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const result = await askOrNothing(ask, kind.method, cursor === undefined ? {} : { cursor });
    const items = result[kind.member];
    for (const item of Array.isArray(items) ? items : []) {
      if (isJsonObject(item) && typeof item[kind.key] === 'string') entries.push(item);
      else warn(`${kind.method}: skipped an entry without ${kind.key}`);
    }
    const next = result.nextCursor;
    if (typeof next !== 'string') return entries; // the empty string is a cursor like any other
    if (cursors.has(next)) {
      warn(`${kind.method}: the server repeats a cursor; the list ends there`);
      return entries;
    }
    cursors.add(next);
    cursor = next;
  }
  warn(`${kind.method}: more than ${maxPages} pages; the rest is left out`);
  return entries;
}

async function askOrNothing(ask: Ask, method: string, params: JsonObject): Promise<JsonObject> {
  try {
    return await ask(method, params);
  } catch (error) {
    if (rejectionCode(error) === rpcErrors.methodNotFound) return {};
    throw error;
  }
}
