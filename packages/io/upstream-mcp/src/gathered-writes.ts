// Writes to a child that go out together: what a turn of the event loop brings is one system call, which costs more than
// the rest of a write.
import type { Writable } from 'node:stream';

/** Writes a text at the end of this turn, after those before it. */
export function createGatheredWrites(stream: Writable): (text: string, done: (error?: Error | null) => void) => void {
  let isGathering = false;
  return (text, done) => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      setImmediate(() => {
        isGathering = false;
        stream.uncork();
      });
    }
    stream.write(text, done);
  };
}
