// What it means for a server and its queue that it asks something before it answers.
import type { Place } from './admission-queue.js';
import type { Admission } from './breaker.js';
import type { Dialogue } from './session.js';

/** A server that asks something lives, however long its caller thinks. */
export function provingLife(dialogue: Dialogue | undefined, { succeed }: Admission): Dialogue | undefined {
  if (dialogue === undefined) return undefined;
  return {
    ...dialogue,
    onQuestion(question, signal) {
      succeed();
      return dialogue.onQuestion(question, signal);
    },
  };
}

/** A server that waits for a person does not work on the call: another may have its place. */
export function lendingPlace(dialogue: Dialogue | undefined, place: Place): Dialogue | undefined {
  if (dialogue === undefined) return undefined;
  return {
    ...dialogue,
    async onQuestion(question, signal) {
      const takeBack = place.lend();
      try {
        return await dialogue.onQuestion(question, signal);
      } finally {
        takeBack();
      }
    },
  };
}
