// The messages that are kept, in memory, up to a number of bytes: the oldest give way.
import type { FrameDirection, WireFrame } from '@portico/contracts';
import type { Caller } from '../call/call.js';

/** Whose call a message belongs to, as audit records name them. */
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
  /** Of the whole message. */
  readonly bytes: number;
  readonly durationUs: number | undefined;
  readonly isError: boolean;
  readonly traceId: string | undefined;
  /** Of requests of a call, their answers and their progress; undefined for everything else. */
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

/** Places that are free at the front before the list is moved. */
const maxFree = 1024;

export class FrameRing {
  #frames: (KeptFrame | undefined)[] = [];
  /** Where the oldest one is. */
  #first = 0;
  #bytes = 0;
  #evicted = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#frames.length - this.#first;
  }

  /** Of the list, those of the messages included. */
  get places(): number {
    return this.#frames.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Messages that gave way to later ones. */
  get evicted(): number {
    return this.#evicted;
  }

  /** False where it has no room by itself, and then nothing changes. */
  add(frame: KeptFrame): boolean {
    const size = sizeOf(frame);
    if (size > this.#maxBytes) return false;
    this.#makeRoom(this.#maxBytes - size);
    this.#frames.push(frame);
    this.#bytes += size;
    return true;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#makeRoom(maxBytes);
  }

  clear(): void {
    this.#frames = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#evicted = 0;
  }

  *oldestFirst(): Generator<KeptFrame> {
    for (let at = this.#first; at < this.#frames.length; at += 1) yield this.#frames[at] as KeptFrame; // behind the first there are no gaps
  }

  *newestFirst(): Generator<KeptFrame> {
    for (let at = this.#frames.length - 1; at >= this.#first; at -= 1) yield this.#frames[at] as KeptFrame;
  }

  #makeRoom(bytes: number): void {
    while (this.#bytes > bytes) {
      this.#bytes -= sizeOf(this.#frames[this.#first] as KeptFrame); // it holds bytes, so it is not empty
      this.#frames[this.#first] = undefined;
      this.#first += 1;
      this.#evicted += 1;
    }
    if (this.#first <= maxFree || this.#first * 2 <= this.#frames.length) return;
    this.#frames = this.#frames.slice(this.#first);
    this.#first = 0;
  }
}
