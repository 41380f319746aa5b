// Remembers, by tool, resource or prompt, which calls of a 2025-11-25 server ask before they answer. It outlives
// sessions: a restarted server asks as it did before.
import type { JsonObject, ServerConfig } from '@portico/contracts';

/**
 * `person`: it asks something that a person, or a model, has to answer. `roots`: it asks for roots only, which takes no
 * time. `perhaps`: it was under way when the server asked something, and the call is unknown.
 */
export type AskingKind = 'person' | 'roots' | 'perhaps';

/** The target of a call: calls of the same name are alike in whether they ask. */
export interface Named {
  readonly method: string;
  readonly params: JsonObject;
}

export interface AskingMemory {
  /** By names; empty for a server that was never seen to ask. */
  readonly kinds: ReadonlyMap<string, AskingKind>;
  /** Undefined for one that was never seen to ask. */
  kindOf(call: Named): AskingKind | undefined;
  /** A certain kind is not replaced by `perhaps`. */
  note(call: Named, kind: AskingKind): void;
  /** How often its name was noted as `perhaps`; undefined if that is not what is known of it. */
  suspicionOf(call: Named): number | undefined;
  /**
   * It ran alone and asked nothing: of one that was noted as `perhaps` nothing is held any more, unless that was done once
   * more since.
   * @param suspicion of the time when it began
   */
  acquit(call: Named, suspicion: number | undefined): void;
}

/** Names that are remembered; far more than a server has tools that ask. */
const maxNames = 1000;

const ranks: Readonly<Record<AskingKind, number>> = { perhaps: 1, roots: 2, person: 3 };

export function createAskingMemory(): AskingMemory {
  const kinds = new Map<string, AskingKind>();
  const suspicions = new Map<string, number>(); // of the names in `kinds` only
  const nameOf = ({ method, params: { name, uri } }: Named) => `${method} ${name ?? uri}`;
  return {
    kinds,
    kindOf: (call) => (kinds.size === 0 ? undefined : kinds.get(nameOf(call))),
    note(call, kind) {
      const name = nameOf(call);
      const known = kinds.get(name);
      if (known === undefined ? kinds.size < maxNames : ranks[known] < ranks[kind]) kinds.set(name, kind);
      if (kinds.get(name) === 'perhaps') suspicions.set(name, (suspicions.get(name) ?? 0) + 1);
      else suspicions.delete(name);
    },
    suspicionOf: (call) => suspicions.get(nameOf(call)),
    acquit(call, suspicion) {
      const name = nameOf(call);
      if (suspicion === undefined || suspicions.get(name) !== suspicion) return;
      suspicions.delete(name);
      kinds.delete(name);
    },
  };
}

/** The memory of each server, kept while its definition stays the same. */
export function createAskingMemories(): (id: string, server: ServerConfig) => AskingMemory {
  const memories = new Map<string, { readonly definition: string; readonly memory: AskingMemory }>();
  return (id, { transport }) => {
    const definition = JSON.stringify(transport);
    const known = memories.get(id);
    if (known?.definition === definition) return known.memory;
    const memory = createAskingMemory();
    memories.set(id, { definition, memory });
    return memory;
  };
}
