// Requests of one connection that have not been answered, by their ids: what their answers are about.
import type { FrameOwner } from './frame-ring.js';

export interface KnownRequest {
  readonly method: string | undefined;
  readonly atMs: number;
  readonly traceId: string | undefined;
  readonly owner: FrameOwner | undefined;
}

/** A request that is cancelled may never be answered. */
const maxKnown = 10_000;

export class KnownRequests {
  readonly #requests = new Map<string, KnownRequest>();

  add(id: unknown, request: KnownRequest): void {
    this.#requests.set(String(id), request);
    if (this.#requests.size <= maxKnown) return;
    for (const oldest of this.#requests.keys()) {
      this.#requests.delete(oldest);
      break;
    }
  }

  get(id: unknown): KnownRequest | undefined {
    return id === undefined || id === null ? undefined : this.#requests.get(String(id));
  }

  take(id: unknown): KnownRequest | undefined {
    const found = this.get(id);
    if (found !== undefined) this.#requests.delete(String(id));
    return found;
  }
}
