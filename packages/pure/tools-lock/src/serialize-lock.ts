// The text of the lock file: sorted, in lines, one definition a block, so that a difference of two versions is a
// difference of what was accepted.
import { finish, type Steps } from '@portico/async';
import { canonicalize } from '@portico/canonical-json';
import { type JsonObject, parseJson } from '@portico/contracts';
import {
  type LockedDefinition,
  type LockedServer,
  listNames,
  lockedKinds,
  lockVersion,
  type ToolsLock,
} from './lock-file.js';

const definitionsInOneStep = 64;

/** Equal locks have equal texts, and the text ends with a line end. */
export function serializeLock(lock: ToolsLock): string {
  return finish(serializeLockInSteps(lock));
}

/** The same, some definitions at a time: there may be thousands. */
export function* serializeLockInSteps(lock: ToolsLock): Steps<string> {
  const servers: Member[] = [];
  for (const id of sorted(lock.keys())) servers.push([id, yield* serverText(lock.get(id) as LockedServer)]);
  const file: Member[] = [
    ['lockVersion', String(lockVersion)],
    ['servers', objectText(servers, 1)],
  ];
  return `${objectText(file, 0)}\n`;
}

/** A name, and the text of its value as it stands at its depth. */
type Member = readonly [name: string, text: string];

function* serverText({ identity, digest, accepted, lists }: LockedServer): Steps<string> {
  const members: Member[] = [
    ['accepted', valueText({ ...accepted }, 3)],
    ['digest', JSON.stringify(digest)],
    ['server', valueText({ ...identity } as JsonObject, 3)],
  ];
  for (const kind of lockedKinds) {
    if (lists[kind].size > 0) members.push([listNames[kind], yield* listText(lists[kind])]);
  }
  return objectText(
    members.sort(([a], [b]) => (a < b ? -1 : 1)),
    2,
  );
}

function* listText(definitions: ReadonlyMap<string, LockedDefinition>): Steps<string> {
  const members: Member[] = [];
  for (const name of sorted(definitions.keys())) {
    const { digest, definition, accepted } = definitions.get(name) as LockedDefinition;
    members.push([name, valueText({ accepted: { ...accepted }, definition, digest }, 4)]);
    if (members.length % definitionsInOneStep === 0) yield;
  }
  return objectText(members, 3);
}

/** @param depth of the braces, in steps of two spaces */
function objectText(members: readonly Member[], depth: number): string {
  if (members.length === 0) return '{}';
  const indent = '  '.repeat(depth);
  let text = '{'; // put together piece by piece: to join the lines would copy the whole text at every depth
  for (const [name, value] of members) {
    text += `${text === '{' ? '' : ','}\n${indent}  ${JSON.stringify(name)}: `;
    text += value;
  }
  return `${text}\n${indent}}`;
}

/** The canonical form sorts, and reading it back keeps the order. No text in JSON has a line end of its own. */
function valueText(value: JsonObject, depth: number): string {
  const text = JSON.stringify(parseJson(canonicalize(value)), null, 2);
  return text.replaceAll('\n', `\n${'  '.repeat(depth)}`);
}

/** By UTF-16 code units, as the canonical form sorts. */
const sorted = (names: Iterable<string>) => [...names].sort((a, b) => (a < b ? -1 : 1));
