// The wire log: the last messages between Portico and its servers. While it is off nothing is kept, and a message passes
// one comparison.
import { type Config, type FrameCounts, type Inspect, PorticoError, type WireFrame } from '@portico/contracts';
import type { Clock, FrameTap } from '@portico/upstream-pool';
import type { Caller } from '../call/call.js';
import type { PlanePolicy } from '../state/plane-policy.js';
import { FrameFollowers, type FrameFollowing, type FrameListener } from './frame-followers.js';
import { createFrameIntake, type FrameIntake } from './frame-intake.js';
import type { Inspecting } from './frame-owners.js';
import { FrameRing, type KeptFrame } from './frame-ring.js';
import { type FrameFilter, isOwnedBy, matchesFrame, toWire, wireBytesOf } from './wire-frame.js';

export interface FrameQuery extends FrameFilter {
  readonly limit: number;
  /** Milliseconds since the Unix epoch; messages from then on. */
  readonly sinceMs?: number | undefined;
}

export interface FrameList {
  readonly frames: readonly WireFrame[];
  /** Whether all that match and are kept are in it. */
  readonly complete: boolean;
}

export interface FollowQuery {
  readonly filter?: FrameFilter;
  readonly lastId?: string | undefined;
}

/** All throw PorticoError RESOURCE_NOT_FOUND while nothing is recorded, but for `counts` and `ofTrace`. */
export interface Inspector {
  mustBeOn(): void;
  /** Newest first, and the id of the newest of all. */
  list(query: FrameQuery): FrameList & { readonly cursor: string };
  /** The newest that one answer takes, oldest first. @param owner who sees those of their own calls; undefined for admins */
  trace(id: string, owner: Caller | undefined): FrameList;
  /** The number of messages of a trace that a caller may see; undefined while nothing is recorded. */
  ofTrace(id: string, owner: Caller | undefined): number | undefined;
  /**
   * Passes on messages when they are kept, until that is stopped. With an id, the messages after it come first: all
   * kept ones if the id is unknown. They arrive in portions, each when `more` asks for it, the first at once.
   */
  follow(listener: FrameListener, query?: FollowQuery): FrameFollowing;
  /** Undefined while nothing is recorded. */
  counts(): FrameCounts | undefined;
  /** Number of messages that a reader did not get. */
  readerMissed(count: number): void;
}

export interface InspectorDeps {
  readonly clock: Pick<Clock, 'now' | 'epochMs' | 'after'>;
  readonly randomHex: (characters: number) => string;
  readonly policy: () => PlanePolicy;
  /** The recorder of connections. Without it nothing is recorded. */
  readonly frameTap?: FrameTap | undefined;
  /** Holds the register of owners of calls, while messages are recorded. */
  readonly inspecting: Inspecting;
}

export interface InspectorService extends Inspector {
  /** Begins, ends or changes the recording. One that goes on keeps what it has. */
  configure(config: Pick<Config, 'inspect'>): void;
  close(): void;
}

/** Bytes of messages in one answer. */
const maxAnswerBytes = 8_000_000;
/** Messages of one trace in one answer. */
const maxTraceFrames = 5_000;

const bytesIn = ({ maxMb }: Inspect) => maxMb * 1024 * 1024;

export function createInspector(deps: InspectorDeps): InspectorService {
  return new RingInspector(deps);
}

class RingInspector implements InspectorService {
  readonly #deps: InspectorDeps;
  readonly #tap: FrameTap;
  readonly #ring = new FrameRing(0);
  readonly #followers = new FrameFollowers(this.#ring, (frame) => toWire(frame, this.#idOf(frame.seq)));
  #settings: Inspect | undefined;
  #intake: FrameIntake | undefined;
  /** Prefix of the ids of one recording. */
  #prefix = '';
  #seq = 0;
  #dropped = 0;
  #readerDropped = 0;

  constructor(deps: InspectorDeps) {
    this.#deps = deps;
    this.#tap = deps.frameTap ?? { recorder: undefined };
  }

  configure({ inspect }: Pick<Config, 'inspect'>): void {
    const before = this.#settings;
    if (!inspect.isEnabled) {
      this.close();
      return;
    }
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(inspect)) return;
    this.#settings = inspect;
    if (before === undefined) this.#begin();
    this.#ring.resize(bytesIn(inspect));
    const isTaken = before?.bodies === inspect.bodies && before.maxBodyKb === inspect.maxBodyKb;
    if (!isTaken) this.#take(inspect);
  }

  close(): void {
    if (this.#settings === undefined) return;
    this.#settings = undefined;
    this.#intake?.close();
    this.#intake = undefined;
    this.#tap.recorder = undefined;
    this.#deps.inspecting.owners = undefined;
    this.#ring.clear();
    this.#followers.end();
  }

  list(query: FrameQuery) {
    this.mustBeOn();
    const { sinceMs = 0, limit } = query;
    const isWanted = (frame: KeptFrame) => frame.epochMs >= sinceMs && matchesFrame(frame, query);
    const { frames, complete } = this.#gather(this.#ring.newestFirst(), isWanted, limit);
    return { frames, complete, cursor: this.#idOf(this.#seq) };
  }

  trace(id: string, owner: Caller | undefined): FrameList {
    this.mustBeOn();
    const found = this.#gather(this.#ring.newestFirst(), isSeenIn(id, owner), maxTraceFrames);
    return { ...found, frames: found.frames.toReversed() };
  }

  ofTrace(id: string, owner: Caller | undefined): number | undefined {
    if (this.#settings === undefined) return undefined;
    const isSeen = isSeenIn(id, owner);
    let count = 0;
    for (const frame of this.#ring.oldestFirst()) if (isSeen(frame)) count += 1;
    return count;
  }

  follow(listener: FrameListener, { filter = {}, lastId }: FollowQuery = {}): FrameFollowing {
    this.mustBeOn();
    return this.#followers.follow(listener, filter, lastId === undefined ? undefined : this.#seqOf(lastId));
  }

  counts(): FrameCounts | undefined {
    if (this.#settings === undefined) return undefined;
    return {
      frames: this.#ring.size,
      bytes: this.#ring.bytes,
      max_bytes: this.#ring.maxBytes,
      evicted: this.#ring.evicted,
      dropped: this.#dropped,
      reader_dropped: this.#readerDropped,
    };
  }

  mustBeOn(): void {
    if (this.#settings !== undefined) return;
    const message =
      'no messages are kept: the inspector is off; set inspect.enabled to true in the configuration file, which takes no restart';
    throw new PorticoError('RESOURCE_NOT_FOUND', message);
  }

  readerMissed(count: number): void {
    this.#readerDropped += count;
  }

  #begin(): void {
    this.#prefix = `frm-${this.#deps.randomHex(8)}`;
    this.#seq = 0;
    this.#dropped = 0;
    this.#readerDropped = 0;
  }

  #take(settings: Inspect): void {
    this.#intake?.close();
    const { clock, policy } = this.#deps;
    this.#intake = createFrameIntake({
      clock,
      policy,
      settings,
      onFrames: (frames) => this.#keep(frames),
      onDropped: (count) => {
        this.#dropped += count;
      },
    });
    this.#tap.recorder = this.#intake;
    this.#deps.inspecting.owners = this.#intake.owners;
  }

  #keep(frames: readonly Omit<KeptFrame, 'seq'>[]): void {
    const kept: KeptFrame[] = [];
    for (const frame of frames) {
      const numbered = { ...frame, seq: this.#seq + 1 };
      if (!this.#ring.add(numbered)) {
        this.#dropped += 1;
        continue;
      }
      this.#seq += 1;
      kept.push(numbered);
    }
    this.#followers.send(kept);
  }

  /** 0 for an id of another recording, and for an invalid one. */
  #seqOf(id: string): number {
    const seq = id.startsWith(`${this.#prefix}-`) ? Number(id.slice(this.#prefix.length + 1)) : 0;
    return Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
  }

  /** As many as one answer takes. */
  #gather(given: Iterable<KeptFrame>, isWanted: (frame: KeptFrame) => boolean, limit: number): FrameList {
    const frames: WireFrame[] = [];
    let bytes = 0;
    for (const frame of given) {
      if (!isWanted(frame)) continue;
      bytes += wireBytesOf(frame);
      if (frames.length >= limit || bytes > maxAnswerBytes) return { frames, complete: false };
      frames.push(toWire(frame, this.#idOf(frame.seq)));
    }
    return { frames, complete: true };
  }

  #idOf(seq: number): string {
    return `${this.#prefix}-${seq}`;
  }
}

function isSeenIn(traceId: string, owner: Caller | undefined): (frame: KeptFrame) => boolean {
  return (frame) => frame.traceId === traceId && (owner === undefined || isOwnedBy(frame, owner));
}
