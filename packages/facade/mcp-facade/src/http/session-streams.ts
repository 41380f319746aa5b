// The streams of one session, by the ids of their events. An id holds a tag of the session, so that one of another session,
// or of an earlier one, is never taken for an id of this one.
import { EventStream, type StreamOptions } from './event-stream.js';
import { type EventRoom, type KeptLimits, SessionEvents } from './kept-events.js';

export interface SessionStreamsInput extends Omit<StreamOptions, 'onGone'> {
  readonly room: EventRoom;
  /** The owner of the session. */
  readonly principal: string;
  readonly limits: () => KeptLimits;
  /** Fresh random lower-case hex. */
  readonly tag: string;
}

export interface StreamPosition {
  readonly stream: EventStream;
  /** The number of the last event that the client has. */
  readonly after: number;
}

export class SessionStreams {
  readonly #streams = new Map<string, EventStream>();
  readonly #events: SessionEvents;
  #opened = 0;
  /** That belongs to no request. */
  standalone: EventStream | undefined;

  constructor(private readonly input: SessionStreamsInput) {
    this.#events = new SessionEvents(input.room, input.principal, input.limits);
  }

  /** Bytes that may wait for a client that does not read. */
  get maxWaitingBytes(): number {
    return this.input.limits().resumableBytes;
  }

  /** @param belongsTo what its events are of: only the streams of requests end, so only they are polled */
  open(belongsTo: 'request' | 'nothing' = 'request'): EventStream {
    this.#opened += 1;
    const { tag, keepAliveMs } = this.input;
    const pollMs = belongsTo === 'request' ? this.input.pollMs : null;
    const onGone = ({ key }: EventStream) => void this.#streams.delete(key);
    const stream = new EventStream(`${tag}-${this.#opened}`, this.#events, { keepAliveMs, pollMs, onGone });
    this.#streams.set(stream.key, stream);
    return stream;
  }

  /** Undefined for an id of no stream of this session, and where something that came after it is not kept. */
  find(eventId: string): StreamPosition | undefined {
    const [, key = '', number = ''] = /^([0-9a-f]+-\d{1,15})-(\d{1,15})$/.exec(eventId) ?? [];
    const stream = this.#streams.get(key);
    const after = Number(number);
    return stream?.canResume(after) ? { stream, after } : undefined;
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.end();
    this.#events.close();
    this.#streams.clear();
  }
}
