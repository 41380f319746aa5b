// The owners of sent requests, by the span that each one names. The wire itself does not name the caller.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { FrameOwner } from './frame-ring.js';
import { copyOf } from './utf8.js';

/** Calls register their owners here; undefined while nothing is recorded. */
export interface Inspecting {
  owners: FrameOwners | undefined;
}

/** A call that is never sent would stay. */
const maxOwners = 10_000;

export class FrameOwners {
  readonly #owners = new Map<string, FrameOwner>();

  add(params: JsonObject, { actor, role, actorKind }: FrameOwner): void {
    const name = traceParentOf(params);
    if (name === undefined) return;
    this.#owners.set(name, { actor, role, actorKind });
    if (this.#owners.size <= maxOwners) return;
    for (const oldest of this.#owners.keys()) {
      this.#owners.delete(oldest);
      break;
    }
  }

  get(traceParent: string): FrameOwner | undefined {
    return this.#owners.get(traceParent);
  }
}

/** As calls write it: `00-<trace id>-<span id>-<flags>`. */
export function traceParentOf({ _meta }: JsonObject): string | undefined {
  const text = isJsonObject(_meta) ? _meta.traceparent : undefined;
  return typeof text === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-/.test(text) ? text : undefined;
}

export const traceIdIn = (traceParent: string): string => copyOf(traceParent.slice(3, 35));
