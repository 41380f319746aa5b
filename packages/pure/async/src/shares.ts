// Room that several holders share. The rule: no holder has more than the part that stays free, so every holder leaves
// room for the next. It knows counts only, never the things held.

export interface Shares {
  /**
   * Takes room for a holder. Undefined if it was taken, else the part of the name whose share is used up.
   * @param holder its names from the widest on, such as principal and server; always as many as there are levels
   */
  take(holder: Holder, size?: number): Refusal | undefined;
  /** As `take`, for what is there already and cannot be refused. */
  add(holder: Holder, size?: number): void;
  /** Gives back what was taken or added. */
  release(holder: Holder, size?: number): void;
  /** Units that a holder has under its widest name. */
  heldBy(name: string): number;
  /** The widest name that has most; undefined if nothing is held. */
  largest(): string | undefined;
}

export type Holder = readonly string[];

export interface Refusal {
  /** The index of the name: 0 for the widest. */
  readonly level: number;
  /** Units that it has under that name. */
  readonly held: number;
}

interface Node {
  held: number;
  readonly parts: Map<string, Node>;
}

/**
 * Nothing is refused while all holders together have less than `limit`. All of it is twice that for each level of names.
 * @param limit what one holder may have while there is no other, as it is at that moment
 */
export function createShares(limit: () => number): Shares {
  const all = newNode();

  const change = (holder: Holder, size: number): void => {
    let node = all;
    node.held += size;
    for (const name of holder) {
      const part = node.parts.get(name) ?? newNode();
      part.held += size;
      if (part.held > 0) node.parts.set(name, part);
      else node.parts.delete(name);
      node = part;
    }
  };

  const refusalOf = (holder: Holder, size: number): Refusal | undefined => {
    let room = limit() * 2 ** holder.length;
    let node = all;
    for (const [level, name] of holder.entries()) {
      const part = node.parts.get(name);
      const free = room - node.held - size;
      // One that has nothing is refused for what the name around it has.
      if ((part?.held ?? 0) + size > free)
        return part === undefined && level > 0
          ? { level: level - 1, held: node.held }
          : { level, held: part?.held ?? 0 };
      room /= 2;
      node = part ?? newNode();
    }
    return undefined;
  };

  return {
    take(holder, size = 1) {
      const refusal = refusalOf(holder, size);
      if (refusal === undefined) change(holder, size);
      return refusal;
    },
    add: (holder, size = 1) => change(holder, size),
    release: (holder, size = 1) => change(holder, -size),
    heldBy: (name) => all.parts.get(name)?.held ?? 0,
    largest() {
      let most: { readonly name: string; readonly held: number } | undefined;
      for (const [name, { held }] of all.parts) if (held > (most?.held ?? 0)) most = { name, held };
      return most?.name;
    },
  };
}

function newNode(): Node {
  return { held: 0, parts: new Map() };
}
