// Events that were sent on streams of sessions, kept for clients that lost their connection. The oldest go first: those of a
// session beyond its limits, and those of all sessions beyond what a listener holds.
import type { Limits } from '@portico/contracts';

export interface KeptEvent {
  /** As it is written to a stream. */
  readonly text: string;
  /** Of its stream. */
  readonly number: number;
  readonly bytes: number;
  /** Called when it is not kept any more. */
  readonly onGone: (event: KeptEvent) => void;
}

export type KeptLimits = Pick<Limits, 'resumableEvents' | 'resumableBytes'>;

/** Of all sessions of a listener, so that many sessions do not take as much as each of them may. */
export class EventRoom {
  readonly #owners = new Map<KeptEvent, SessionEvents>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  add(event: KeptEvent, owner: SessionEvents): void {
    this.#owners.set(event, owner);
    this.#bytes += event.bytes;
    for (const oldest of this.#owners.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.drop(oldest);
    }
  }

  drop(event: KeptEvent): void {
    const owner = this.#owners.get(event);
    if (owner === undefined) return;
    this.#owners.delete(event);
    this.#bytes -= event.bytes;
    owner.forget(event);
  }
}

export class SessionEvents {
  readonly #events = new Set<KeptEvent>();
  #bytes = 0;

  constructor(
    private readonly room: EventRoom,
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
      this.room.drop(oldest);
    }
    return true;
  }

  drop(event: KeptEvent): void {
    this.room.drop(event);
  }

  /** For the room alone to call. */
  forget(event: KeptEvent): void {
    if (!this.#events.delete(event)) return;
    this.#bytes -= event.bytes;
    event.onGone(event);
  }

  close(): void {
    for (const event of [...this.#events]) this.room.drop(event);
  }
}
