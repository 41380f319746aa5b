// A server that asks something before it answers is alive, however long its caller thinks. It does not work on the call
// until the answer is there, so another call may have the permit.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { Permit } from './admission-queue.js';
import type { Admission } from './breaker.js';
import type { ServerRequest, ServerRequestHandler } from './session.js';

/** Answers what is asked for a request that holds a permit. */
export class PermitHolder implements ServerRequestHandler {
  readonly capabilities: ServerRequestHandler['capabilities'];
  readonly logLevel: ServerRequestHandler['logLevel'];
  readonly onProgress: ServerRequestHandler['onProgress'];
  readonly onLogMessage: ServerRequestHandler['onLogMessage'];
  readonly #handler: ServerRequestHandler;
  readonly #admission: Admission;
  readonly #permit: Permit;

  constructor(handler: ServerRequestHandler, admission: Admission, permit: Permit) {
    this.capabilities = handler.capabilities;
    this.logLevel = handler.logLevel;
    this.onProgress = handler.onProgress;
    this.onLogMessage = handler.onLogMessage;
    this.#handler = handler;
    this.#admission = admission;
    this.#permit = permit;
  }

  async onServerRequest(question: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    const takeBack = this.#permit.lend();
    try {
      this.#admission.succeed();
      return await this.#handler.onServerRequest(question, signal);
    } finally {
      takeBack();
    }
  }
}
