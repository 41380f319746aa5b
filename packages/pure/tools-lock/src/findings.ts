// A look at definitions that is cheap and certain about what it finds, and claims to find no more than its few rules say.
// A finding blocks nothing.
import { type findingRuleNames, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { hiddenCharacters } from './hidden-characters.js';
import type { ListedServer, LockedKind } from './lock-file.js';

export interface Finding {
  readonly rule: (typeof findingRuleNames)[number];
  readonly kind: LockedKind | 'server';
  readonly server: string;
  readonly name: string;
  /** The evidence: the characters, the words with some around them, the other tools, the hint. */
  readonly evidence: string;
}

/** Yields the findings of all servers in their order, and undefined between definitions: there may be thousands. */
export function* findingsIn(servers: ReadonlyMap<string, ListedServer>): Generator<Finding | undefined> {
  const owners = ownersOf(servers);
  for (const [server, { identity, lists }] of servers) {
    yield* inText('server', server, server, { instructions: identity.instructions, info: identity.info });
    for (const [name, { definition }] of lists.tool) {
      yield undefined;
      yield* inText('tool', server, name, definition);
      const others = (owners.get(comparableName(name)) ?? []).filter((id) => !id.startsWith(`${server}.`));
      const found = { kind: 'tool', server, name } as const;
      if (others.length > 0)
        yield { ...found, rule: 'shadowed_name', evidence: `also ${others.slice(0, 5).join(', ')}` };
      const contradiction = contradictionIn(name, definition.annotations);
      if (contradiction !== undefined) yield { ...found, rule: 'contradicting_annotation', evidence: contradiction };
    }
    for (const [name, { definition }] of lists.prompt) yield* inText('prompt', server, name, definition);
    for (const [name, { definition }] of lists.resource_template) {
      yield* inText('resource_template', server, name, definition);
    }
  }
}

function* inText(kind: Finding['kind'], server: string, name: string, value: JsonObject): Generator<Finding> {
  const hidden = hiddenCharacters(value);
  if (hidden.length > 0) {
    yield { rule: 'hidden_characters', kind, server, name, evidence: hidden.slice(0, 10).join(', ') };
  }
  const words = instructionIn(value);
  if (words !== undefined) yield { rule: 'instructions_to_model', kind, server, name, evidence: words };
}

/** Words that are addressed to a model and against its user. */
const instructions: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|earlier|above|other|system)\s+(?:instructions?|prompts?|rules?|messages?|tools?)/i,
  /\b(?:do\s+not|don't|never)\s+(?:tell|inform|notify|alert|mention|reveal|show|ask)\b[^.\n]{0,40}\buser\b/i,
  /\bwithout\s+(?:telling|informing|notifying|asking|alerting)\s+(?:the\s+)?user\b/i,
  /\bhide\s+(?:this|it|that|these)\b[^.\n]{0,20}\bfrom\s+(?:the\s+)?user\b/i,
  /<\/?\s*(?:important|system|instructions?|secret)\s*>/i,
  /\b(?:before|after)\s+(?:using|calling|invoking)\s+(?:any|every|all|each|other)\b[^.\n]{0,20}\btools?\b/i,
  /\byour\s+system\s+prompt\b/i,
];
const around = 40;

function instructionIn(value: JsonObject): string | undefined {
  for (const text of textsIn(value)) {
    for (const pattern of instructions) {
      const found = pattern.exec(text);
      if (found !== null) {
        const [from, to] = [found.index - around, found.index + found[0].length + around];
        return text.slice(Math.max(0, from), to).replace(/\s+/g, ' ').trim();
      }
    }
  }
  return undefined;
}

function* textsIn(value: JsonValue | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) yield* textsIn(item);
}

/** By comparable name, the tools of all servers. */
function ownersOf(servers: ReadonlyMap<string, ListedServer>): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const [server, { lists }] of servers) {
    for (const name of lists.tool.keys()) {
      const key = comparableName(name);
      const known = owners.get(key);
      if (known === undefined) owners.set(key, [`${server}.${name}`]);
      else known.push(`${server}.${name}`);
    }
  }
  return owners;
}

/** As a model may take it: without case, separators and compatibility forms. */
function comparableName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.-]+/g, '');
}

const changing =
  /^(?:add|append|create|delete|destroy|drop|edit|erase|insert|move|post|publish|purge|remove|rename|reset|send|set|truncate|update|upload|wipe|write)(?![a-z])/;
const destroying = /^(?:delete|destroy|drop|erase|purge|remove|truncate|wipe)(?![a-z])/;

/** A hint that the first word of the name contradicts. */
function contradictionIn(name: string, annotations: JsonValue | undefined): string | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  if (annotations.readOnlyHint === true && changing.test(words)) return `readOnlyHint: true on "${name}"`;
  if (annotations.destructiveHint === false && destroying.test(words)) return `destructiveHint: false on "${name}"`;
  return undefined;
}
