// A server that asks something before it answers is alive, however long its caller thinks. It does not work on the call
// until the answer is there, so another call may have the place in the queue.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { Place } from './admission-queue.js';
import type { Admission } from './breaker.js';
import type { Dialogue, Question } from './session.js';

/** The dialogue of a request that has a place in the queue. */
export class PlacedDialogue implements Dialogue {
  readonly capabilities: Dialogue['capabilities'];
  readonly logLevel: Dialogue['logLevel'];
  readonly onProgress: Dialogue['onProgress'];
  readonly onLogMessage: Dialogue['onLogMessage'];
  readonly #dialogue: Dialogue;
  readonly #admission: Admission;
  readonly #place: Place;

  constructor(dialogue: Dialogue, admission: Admission, place: Place) {
    this.capabilities = dialogue.capabilities;
    this.logLevel = dialogue.logLevel;
    this.onProgress = dialogue.onProgress;
    this.onLogMessage = dialogue.onLogMessage;
    this.#dialogue = dialogue;
    this.#admission = admission;
    this.#place = place;
  }

  async onQuestion(question: Question, signal: AbortSignalLike): Promise<JsonObject> {
    const takeBack = this.#place.lend();
    try {
      this.#admission.succeed();
      return await this.#dialogue.onQuestion(question, signal);
    } finally {
      takeBack();
    }
  }
}
