// Requests of one connection that have not been answered, by their ids: what their answers are about.
import type { FrameOwner } from './frame-ring.js';
import { maxNameLength, type RpcId } from './rpc-head.js';

export interface KnownRequest {
  readonly method: string | undefined;
  readonly atMs: number;
  readonly traceId: string | undefined;
  readonly owner: FrameOwner | undefined;
}

export class KnownRequests {
  readonly #requests = new Map<string, KnownRequest>();
  readonly #max: number;

  /** @param max requests that are known; one that is never answered gives way to later ones */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#requests.size;
  }

  /** Does nothing without an id, by which no answer can name it, and with one longer than a name. */
  add(id: RpcId | undefined, request: KnownRequest): void {
    if (!isUsable(id)) return;
    this.#requests.set(String(id), request);
    if (this.#requests.size <= this.#max) return;
    for (const oldest of this.#requests.keys()) {
      this.#requests.delete(oldest);
      break;
    }
  }

  get(id: RpcId | null | undefined): KnownRequest | undefined {
    return isUsable(id) ? this.#requests.get(String(id)) : undefined;
  }

  take(id: RpcId | null | undefined): KnownRequest | undefined {
    const found = this.get(id);
    if (found !== undefined) this.#requests.delete(String(id));
    return found;
  }
}

function isUsable(id: RpcId | null | undefined): id is RpcId {
  return typeof id === 'number' || (typeof id === 'string' && id.length <= maxNameLength);
}
