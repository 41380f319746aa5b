// The messages that are kept, in memory, up to a number of bytes: the oldest of the server that has the most give way.
import type { FrameDirection, WireFrame } from '@portico/contracts';
import type { Caller } from '../call/call.js';
import { type Held, Shares } from './shares.js';

/** The owner of the call of a message, as audit records name it. */
export type FrameOwner = Pick<Caller, 'actor' | 'role' | 'actorKind'>;

export interface KeptFrame {
  /** Counts up from 1, without gaps. */
  readonly seq: number;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: number;
  readonly server: string;
  readonly direction: FrameDirection;
  readonly kind: WireFrame['kind'];
  readonly method: string | undefined;
  /** JSON text of the message's id. */
  readonly rpcId: string | undefined;
  /** Length of the whole message. */
  readonly bytes: number;
  readonly durationUs: number | undefined;
  readonly isError: boolean;
  readonly traceId: string | undefined;
  /** For requests of a call, their answers and their progress; undefined for everything else. */
  readonly owner: FrameOwner | undefined;
  /** Redacted JSON text in UTF-8. */
  readonly body: Uint8Array | undefined;
  readonly isCut: boolean;
}

/** The objects that one message is made of, without its body and texts; measured on Node 20, rounded up. */
const fixedBytes = 512;

export function sizeOf({ method = '', rpcId = '', traceId = '', body }: KeptFrame): number {
  return fixedBytes + 2 * (method.length + rpcId.length + traceId.length) + (body?.length ?? 0);
}

/** Slots of dropped messages, before the list is rebuilt. */
const maxGone = 1024;

/** One message in the list of all and in what its server holds. */
class Slot implements Held {
  readonly server: string;
  readonly order: number;
  readonly weight: number;
  /** Undefined once it gave way. */
  frame: KeptFrame | undefined;

  constructor(frame: KeptFrame) {
    this.server = frame.server;
    this.order = frame.seq;
    this.weight = sizeOf(frame);
    this.frame = frame;
  }
}

export class FrameRing {
  /** By `seq`. */
  #slots: Slot[] = [];
  readonly #shares = new Shares<Slot>();
  #evicted = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#shares.count;
  }

  /** Number of slots, with those of dropped messages. */
  get places(): number {
    return this.#slots.length;
  }

  get bytes(): number {
    return this.#shares.weight;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Messages that gave way to later ones. */
  get evicted(): number {
    return this.#evicted;
  }

  /** False if it has no room by itself, and then nothing changes. */
  add(frame: KeptFrame): boolean {
    const slot = new Slot(frame);
    if (slot.weight > this.#maxBytes) return false;
    this.#slots.push(slot);
    this.#shares.add(slot);
    this.#makeRoom();
    return true;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#makeRoom();
  }

  clear(): void {
    this.#slots = [];
    this.#shares.clear();
    this.#evicted = 0;
  }

  /** Those with a higher `seq`, oldest first. Nothing may be added until it is read. */
  *after(seq: number): Generator<KeptFrame> {
    for (let at = this.#placeAfter(seq); at < this.#slots.length; at += 1) {
      const frame = this.#slots[at]?.frame;
      if (frame !== undefined) yield frame;
    }
  }

  oldestFirst(): Generator<KeptFrame> {
    return this.after(0);
  }

  *newestFirst(): Generator<KeptFrame> {
    for (let at = this.#slots.length - 1; at >= 0; at -= 1) {
      const frame = this.#slots[at]?.frame;
      if (frame !== undefined) yield frame;
    }
  }

  #placeAfter(seq: number): number {
    let [from, to] = [0, this.#slots.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#slots[middle]?.order ?? 0) > seq) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  #makeRoom(): void {
    while (this.#shares.weight > this.#maxBytes) {
      const slot = this.#shares.giveUpOldest();
      if (slot === undefined) break;
      slot.frame = undefined;
      this.#evicted += 1;
    }
    const gone = this.#slots.length - this.#shares.count;
    if (gone > maxGone && gone > this.#shares.count)
      this.#slots = this.#slots.filter(({ frame }) => frame !== undefined);
  }
}
