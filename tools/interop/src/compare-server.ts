// One server, asked directly and through Portico: the texts of its definitions and of its results, byte for byte.
// Intended changes by Portico are removed first, by the rules that docs/interop.md gives.
import { membersOf, objectOf } from './raw-json.js';
import type { RawSession } from './raw-session.js';
import type { Call, Server } from './servers.js';

export const checks = [
  'tools',
  'resources',
  'templates',
  'prompts',
  'HTTP schemas',
  'results',
  'HTTP results',
] as const;

export type Check = (typeof checks)[number];

export interface Difference {
  readonly check: Check;
  /** The tool, the URI or the prompt. */
  readonly name: string;
  readonly direct: string;
  readonly portico: string;
}

export interface Found {
  readonly server: Server;
  /** How many were compared. */
  readonly counts: ReadonlyMap<Check, number>;
  readonly differences: readonly Difference[];
}

export interface Sides {
  readonly direct: RawSession;
  readonly portico: RawSession;
  /** Origin of `/v1`. */
  readonly url: string;
}

const lists = [
  { check: 'tools', method: 'tools/list', field: 'tools', key: 'name', isPrefixed: true },
  { check: 'resources', method: 'resources/list', field: 'resources', key: 'uri', isPrefixed: false },
  {
    check: 'templates',
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    key: 'uriTemplate',
    isPrefixed: false,
  },
  { check: 'prompts', method: 'prompts/list', field: 'prompts', key: 'name', isPrefixed: true },
] as const;

export async function compareServer(server: Server, calls: readonly Call[], sides: Sides): Promise<Found> {
  const counts = new Map<Check, number>();
  const differences: Difference[] = [];
  const same = (check: Check, name: string, direct: string, portico: string) => {
    counts.set(check, (counts.get(check) ?? 0) + 1);
    if (direct !== portico) differences.push({ check, name, direct, portico });
  };
  for (const { check, method, field, key, isPrefixed } of lists) {
    const direct = byKey(await sides.direct.list(method, field), key);
    const prefix = isPrefixed ? `${server.id}__` : '';
    const portico = byKey(await sides.portico.list(method, field), key, prefix);
    for (const [name, text] of direct) same(check, name, text, portico.get(name) ?? 'not in the list');
    if (!isPrefixed) continue;
    for (const [name, text] of portico) if (!direct.has(name)) same(check, name, 'not in the list', text);
    if (check === 'tools') await compareSchemas(server, direct, sides.url, same);
  }
  // Each side gets the same calls in the same order, for some change what those after them answer.
  for (const call of calls) await compareCall(server, call, sides, same);
  for (const call of calls) await compareHttpCall(server, call, sides, same);
  return { server, counts, differences };
}

type Same = (check: Check, name: string, direct: string, portico: string) => void;

async function compareSchemas(server: Server, tools: ReadonlyMap<string, string>, url: string, same: Same) {
  for (const [name, text] of tools) {
    const id = encodeURIComponent(`${server.id}.${name}`);
    const answer = await (await fetch(`${url}/v1/capabilities/${id}`)).text();
    const capability = membersOf(membersOf(answer).get('capability') ?? '{}');
    same('HTTP schemas', name, membersOf(text).get('inputSchema') ?? '', capability.get('input_schema') ?? answer);
  }
}

async function compareCall(server: Server, call: Call, { direct, portico }: Sides, same: Same): Promise<void> {
  const behind = call.method === 'resources/read' ? call.name : `${server.id}__${call.name}`;
  const expected = await ask(direct, call, call.name);
  same('results', `${call.method} ${call.name}`, expected, await ask(portico, call, behind));
}

async function compareHttpCall(server: Server, call: Call, { direct, url }: Sides, same: Same): Promise<void> {
  const expected = await ask(direct, call, call.name);
  same('HTTP results', `${call.method} ${call.name}`, expected, resultText(await askOverHttp(server, call, url)));
}

async function ask(session: RawSession, { method, args }: Call, name: string): Promise<string> {
  const params = method === 'resources/read' ? { uri: name } : { name, arguments: args };
  return resultText(await session.request(method, params));
}

/** The text of `data`; of the whole answer where that has none. */
async function askOverHttp(server: Server, { method, name, args }: Call, url: string): Promise<string> {
  const id = `${server.id}.${name}`;
  const [path, body] = {
    'tools/call': ['tools/call', { capability_id: id, args }] as const,
    'resources/read': ['resources/read', { resource_id: id }] as const,
    'prompts/get': ['prompts/get', { prompt_id: id, arguments: args }] as const,
  }[method];
  const answer = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return answer.ok ? (membersOf(text).get('data') ?? text) : text;
}

function byKey(items: readonly string[], key: string, prefix = ''): ReadonlyMap<string, string> {
  const definitions = new Map<string, string>();
  for (const item of items) {
    const members = new Map(membersOf(item));
    const name: string = JSON.parse(members.get(key) ?? '""');
    if (!name.startsWith(prefix)) continue;
    const own = name.slice(prefix.length);
    if (prefix !== '') members.set(key, JSON.stringify(own));
    definitions.set(own, objectOf(members));
  }
  return definitions;
}

/** Without what the rules put aside. */
function resultText(text: string): string {
  const members = new Map(membersOf(text));
  members.delete('resultType');
  const meta = new Map(membersOf(members.get('_meta') ?? '{}'));
  if (meta.delete('io.modelcontextprotocol/serverInfo')) members.set('_meta', objectOf(meta));
  if (members.has('_meta') && meta.size === 0) members.delete('_meta');
  return objectOf(members);
}
