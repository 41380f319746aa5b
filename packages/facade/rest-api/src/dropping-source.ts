// Events that nothing waits for: those that a slow reader has no room for are left out, and it receives their number.
import { type EventSink, type EventSource, encodeEvent } from './event-stream.js';

export interface DroppingSink<T> {
  /** Writes the items that there is room for. */
  add(items: readonly T[]): void;
  /** At most this many items are left out here. */
  missed(count: number): void;
  /** The reader gets what waits, and the stream ends. */
  end(): void;
}

/**
 * @param follow begins to give items, and returns a function that ends that
 * @param onDropped called with each item that there was no room for
 */
export function droppingSource<T>(
  follow: (to: DroppingSink<T>) => () => void,
  encode: (item: T) => Uint8Array,
  onDropped: () => void = () => {},
): EventSource {
  let dropped = 0;
  const sayDropped = (sink: EventSink) => {
    if (dropped > 0) sink.push(encodeEvent('dropped', { count: dropped }));
    dropped = 0;
  };
  return {
    start(sink) {
      const add = (item: T) => {
        if (sink.isFull()) {
          dropped += 1;
          onDropped();
          return;
        }
        sayDropped(sink);
        sink.push(encode(item));
      };
      return follow({
        add: (items) => items.forEach(add),
        missed(count) {
          dropped += count;
          if (!sink.isFull()) sayDropped(sink);
        },
        end: sink.letGo,
      });
    },
    onRead: sayDropped,
  };
}

/** Readers of the same item share its bytes. */
export function sharedEncoder<T extends { readonly id: string }>(event: string): (item: T) => Uint8Array {
  const encoded = new WeakMap<T, Uint8Array>();
  return (item) => {
    const bytes = encoded.get(item) ?? encodeEvent(event, item, item.id);
    encoded.set(item, bytes);
    return bytes;
  };
}
