// Readers of the wire log: first those messages that they have missed, as they ask for them, then each when it is kept.
import type { WireFrame } from '@portico/contracts';
import type { FrameRing, KeptFrame } from './frame-ring.js';
import { type FrameFilter, matchesFrame, wireBytesOf } from './wire-frame.js';

export interface FrameListener {
  /** Oldest first. */
  frames(frames: readonly WireFrame[]): void;
  /** At most so many that match are left out here. */
  missed(count: number): void;
  /** No more come: the recording has ended. */
  ended(): void;
}

export interface FrameFollowing {
  /** Returns the next portion of missed messages, if there is more. Messages that pass in between follow it. */
  more(): void;
  stop(): void;
}

/** Bytes of messages in one portion: less than may wait for a reader of a stream. */
const maxPortionBytes = 256 * 1024;

interface Follower {
  readonly listener: FrameListener;
  readonly filter: FrameFilter;
  /** Up to where the messages of before are given; undefined once all are. */
  givenTo: number | undefined;
}

export class FrameFollowers {
  readonly #followers = new Set<Follower>();
  readonly #ring: FrameRing;
  readonly #show: (frame: KeptFrame) => WireFrame;

  constructor(ring: FrameRing, show: (frame: KeptFrame) => WireFrame) {
    this.#ring = ring;
    this.#show = show;
  }

  /** @param after the messages behind this number come first; undefined for none of before */
  follow(listener: FrameListener, filter: FrameFilter, after: number | undefined): FrameFollowing {
    const follower: Follower = { listener, filter, givenTo: after };
    this.#followers.add(follower);
    const more = () => {
      if (this.#followers.has(follower)) this.#give(follower);
    };
    more();
    return { more, stop: () => void this.#followers.delete(follower) };
  }

  /** Passes on messages that are kept now. */
  send(kept: readonly KeptFrame[]): void {
    const shown: WireFrame[] = [];
    const showAt = (frame: KeptFrame, at: number) => {
      shown[at] ??= this.#show(frame); // once for all
      return shown[at];
    };
    for (const { listener, filter, givenTo } of this.#followers) {
      if (givenTo !== undefined) continue;
      const frames = kept.flatMap((frame, at) => (matchesFrame(frame, filter) ? [showAt(frame, at)] : []));
      if (frames.length > 0) listener.frames(frames);
    }
  }

  end(): void {
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const { listener } of followers) listener.ended();
  }

  #give(follower: Follower): void {
    const { listener, filter, givenTo } = follower;
    if (givenTo === undefined) return;
    const frames: WireFrame[] = [];
    let at = givenTo;
    let missed = 0;
    let bytes = 0;
    follower.givenTo = undefined;
    for (const frame of this.#ring.after(givenTo)) {
      if (bytes >= maxPortionBytes) {
        follower.givenTo = at;
        break;
      }
      missed += frame.seq - at - 1;
      at = frame.seq;
      if (!matchesFrame(frame, filter)) continue;
      frames.push(this.#show(frame));
      bytes += wireBytesOf(frame);
    }
    if (missed > 0) listener.missed(missed);
    if (frames.length > 0) listener.frames(frames);
  }
}
