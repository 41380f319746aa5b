// Lines that leave together: those of one turn of the event loop are one write, as each costs more than its bytes.
import type { Writable } from 'node:stream';

export interface GatheredLines {
  /** @param line without its end */
  add(line: string): void;
  /** Writes what is there now, and not only at the end of the turn. */
  flush(): void;
  /** Unread data of the other side, approximately in bytes. */
  waiting(): number;
}

/** A long line is written by itself: joining it would copy it. */
const longLine = 65_536;

/**
 * Creates a writer that gathers the lines of one event-loop turn into one write.
 * @param onFull called when the stream has taken lines and wants no more until it drains
 */
export function createGatheredLines(output: Writable, onFull: () => void = () => {}): GatheredLines {
  let text = '';
  let isScheduled = false;
  const flush = () => {
    const lines = text;
    text = '';
    if (lines !== '' && output.writable && !output.write(lines)) onFull();
  };
  const onTurnEnd = () => {
    isScheduled = false;
    flush();
  };
  return {
    add(line) {
      text += `${line}\n`;
      if (text.length >= longLine) return flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(onTurnEnd);
    },
    flush,
    waiting: () => output.writableLength + text.length,
  };
}
