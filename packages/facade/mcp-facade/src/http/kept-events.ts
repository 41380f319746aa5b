// Events that were sent on streams of sessions, kept for clients that lost their connection. The oldest go first: those of a
// session beyond its limits, and beyond what a listener holds those of the principal that has most.
import type { Limits } from '@portico/contracts';

export interface KeptEvent {
  /** As it is written to a stream. */
  readonly text: string;
  /** The number of its stream. */
  readonly number: number;
  readonly bytes: number;
  /** Called when it is not kept any more. */
  readonly onGone: (event: KeptEvent) => void;
}

export type KeptLimits = Pick<Limits, 'resumableEvents' | 'resumableBytes'>;

interface Holding {
  /** With the session of each, the oldest first. */
  readonly owners: Map<KeptEvent, SessionEvents>;
  bytes: number;
}

/**
 * The events of all sessions of a listener, so that many sessions do not take as much as each of them may. A principal
 * loses events only while no other has more.
 */
export class EventRoom {
  readonly #holdings = new Map<string, Holding>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  add(event: KeptEvent, owner: SessionEvents): void {
    const holding = this.#holdings.get(owner.principal) ?? { owners: new Map(), bytes: 0 };
    this.#holdings.set(owner.principal, holding);
    holding.owners.set(event, owner);
    holding.bytes += event.bytes;
    this.#bytes += event.bytes;
    while (this.#bytes > this.maxBytes) {
      const [oldest] = this.#largest();
      if (oldest === undefined) return;
      this.drop(...oldest);
    }
  }

  drop(event: KeptEvent, owner: SessionEvents): void {
    const holding = this.#holdings.get(owner.principal);
    if (holding?.owners.delete(event) !== true) return;
    holding.bytes -= event.bytes;
    if (holding.owners.size === 0) this.#holdings.delete(owner.principal);
    this.#bytes -= event.bytes;
    owner.forget(event);
  }

  /** The events of the principal that has most. */
  #largest(): Iterable<readonly [KeptEvent, SessionEvents]> {
    let largest: Holding | undefined;
    for (const holding of this.#holdings.values()) if (holding.bytes > (largest?.bytes ?? 0)) largest = holding;
    return largest?.owners ?? [];
  }
}

export class SessionEvents {
  readonly #events = new Set<KeptEvent>();
  #bytes = 0;

  constructor(
    private readonly room: EventRoom,
    readonly principal: string,
    readonly limits: () => KeptLimits,
  ) {}

  /** Whether it fits at all. */
  keep(event: KeptEvent): boolean {
    const { resumableEvents, resumableBytes } = this.limits();
    if (event.bytes > resumableBytes) return false;
    this.#events.add(event);
    this.#bytes += event.bytes;
    this.room.add(event, this);
    for (const oldest of this.#events) {
      if (this.#events.size <= resumableEvents && this.#bytes <= resumableBytes) break;
      this.room.drop(oldest, this);
    }
    return true;
  }

  drop(event: KeptEvent): void {
    this.room.drop(event, this);
  }

  /** For the room alone to call. */
  forget(event: KeptEvent): void {
    if (!this.#events.delete(event)) return;
    this.#bytes -= event.bytes;
    event.onGone(event);
  }

  close(): void {
    for (const event of [...this.#events]) this.room.drop(event, this);
  }
}
