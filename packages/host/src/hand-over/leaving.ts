// An end that another process requests and the server carries out: the requester learns when it is over.
import type { Leaving } from '../relay/link.js';

export interface AskedLeaving extends Leaving {
  /** Asks for the end; resolves when it is over. */
  ask(): Promise<void>;
  /** It is over, asked for or not. */
  over(): void;
}

export function createLeaving(end: () => Promise<void>): AskedLeaving {
  let markAsked = () => {};
  let markOver = () => {};
  const asked = new Promise<void>((resolve) => {
    markAsked = resolve;
  });
  const isOver = new Promise<void>((resolve) => {
    markOver = resolve;
  });
  const over = () => markOver();
  return {
    asked,
    finish: () => end().finally(over),
    over,
    ask() {
      markAsked();
      return isOver;
    },
  };
}
