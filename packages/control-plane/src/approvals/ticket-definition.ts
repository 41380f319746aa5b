// The definition that a ticket asks about: what its server said of it, the server behind its name, and the program behind
// that server. A ticket keeps it, so that a person decides on what runs and not on what it has become.
import { sha256Hex } from '@portico/canonical-json';
import type { JsonObject, JsonValue } from '@portico/contracts';
import { type DefinitionChanges, definitionChanges } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import { comparableText } from '../common/comparable-text.js';
import type { PlaneState } from '../state/plane-state.js';
import { definitionsFingerprint } from '../state/server-changes.js';
import { findTarget } from '../state/target.js';

export interface TicketDefinition {
  /** SHA-256 over the rest, with all parts as they were before large ones were left out. */
  readonly digest: string;
  readonly server: string;
  /** Tool name, resource URI or prompt name, as the server knows it. */
  readonly name: string;
  /** Digest of the command or address of the server, as it is configured. */
  readonly program: string;
  /** As the server gave it; a part that is large is its length and digest. Null for what the server does not list. */
  readonly definition: JsonObject | null;
}

/** The definition that a ticket asks about, and the one it was opened with, if that differs. */
export interface AskedDefinition extends TicketDefinition {
  /** Null if that is not known: the ticket is of an earlier version. */
  readonly before?: TicketDefinition | null;
}

/** Parts that change by themselves, and change nothing of what a call does. */
const unstable: Readonly<Record<CallKind, ReadonlySet<string>>> = {
  tool: new Set(['_meta', 'icons']),
  prompt: new Set(['_meta', 'icons']),
  resource: new Set(['_meta', 'icons', 'size', 'annotations']),
};

const maxPartLength = 16_000;

/**
 * The current definition of an id. Undefined if it is unknown: nothing has this id, or the lists of its server have not
 * been read since it was configured.
 */
export function definitionNow(state: PlaneState, kind: CallKind, id: string): TicketDefinition | undefined {
  const target = findTarget(state, kind, id);
  const server = target && state.config.servers.get(target.server);
  if (target === undefined || server === undefined || !state.servers.has(target.server)) return undefined;
  const listed = listedDefinition(state, kind, id);
  const stable =
    listed === undefined
      ? null
      : Object.fromEntries(Object.entries(listed).filter(([part]) => !unstable[kind].has(part)));
  const rest = { server: target.server, name: target.name, program: definitionsFingerprint(server) };
  const digest = sha256Hex(comparableText([kind, rest.server, rest.name, rest.program, stable]));
  return { digest, ...rest, definition: stable && smallParts(stable) };
}

/** The difference as a person reads it; nothing where the first definition is not known. */
export function changesOf({ before, ...now }: AskedDefinition): DefinitionChanges {
  if (before === undefined || before === null) return { changes: [], complete: true };
  const outside = (['server', 'name', 'program'] as const).map((part) =>
    definitionChanges({ [nouns[part]]: before[part] }, { [nouns[part]]: now[part] }),
  );
  const inside = definitionChanges(before.definition ?? undefined, now.definition ?? undefined);
  const isKept = inside.changes.every((change) => !isLeftOut(change.before) && !isLeftOut(change.after));
  return {
    changes: [...outside, inside].flatMap(({ changes }) => changes),
    complete: [...outside, inside].every(({ complete }) => complete) && isKept,
  };
}

const nouns = { server: 'server', name: 'name at the server', program: 'program of the server (digest)' } as const;

/** A lookup that the catalog answers for aliases too: the id of a ticket is canonical, and may be an alias by now. */
function listedDefinition({ catalog }: PlaneState, kind: CallKind, id: string): JsonObject | undefined {
  const entry =
    kind === 'tool'
      ? catalog.findCapability(id)
      : kind === 'prompt'
        ? catalog.findPrompt(id)
        : catalog.findResource(id)?.entry;
  return entry && ({ ...entry.definition } as JsonObject); // it came as JSON
}

function smallParts(definition: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(definition).map(([part, value]) => [part, value && smallPart(value)]));
}

function smallPart(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return text.length <= maxPartLength ? value : `${text.length} characters, digest ${sha256Hex(text)}`;
}

const leftOut = /^"\d+ characters, digest [0-9a-f]{64}"$/;

/** Whether a changed part is a digest, because the part was too large to keep. */
function isLeftOut(shown: string | null): boolean {
  return shown !== null && leftOut.test(shown);
}
