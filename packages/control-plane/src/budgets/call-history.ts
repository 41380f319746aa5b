// The last calls of one caller with their results, as far as finding a loop needs them. Pure: no clock, no I/O.
import type { LoopRules } from '@portico/contracts';

/** `identical`: the same call with the same result again and again. `alternating`: two such calls that take turns. */
export type LoopKind = 'identical' | 'alternating';

export interface Loop {
  readonly kind: LoopKind;
  /** Digest of the result that the call had each time. */
  readonly result: string;
  /** When the loop is over if the caller stops now, milliseconds of the clock of `note`. */
  readonly endsAtMs: number;
}

interface Ran {
  /** Digest of the capability and the arguments. */
  readonly call: string;
  readonly result: string;
  readonly atMs: number;
}

export type HistoryRules = Pick<LoopRules, 'identical' | 'withinSecs' | 'alternating'>;

/** Keeps as many calls as the longest loop has: twice `identical`. */
export class CallHistory {
  readonly #ran: Ran[] = [];
  /** The loop for which the last call was refused. */
  #refused: { readonly call: string; readonly loop: Loop } | undefined;
  /** Whether the last call was part of a loop, so that one loop is reported once. */
  isLooping = false;

  get isEmpty(): boolean {
    return this.#ran.length === 0;
  }

  /** The loop that a call would go on with; undefined if it may have another result, or there are too few runs yet. */
  loopOf(call: string, nowMs: number, { identical, withinSecs, alternating }: HistoryRules): Loop | undefined {
    const withinMs = withinSecs * 1000;
    const last = this.#ran.at(-1);
    if (last === undefined) return undefined;
    const refused = this.#refused;
    if (refused?.loop.kind === 'alternating' && refused.call === call && nowMs < refused.loop.endsAtMs)
      return refused.loop;
    if (last.call === call) return this.#repeated('identical', 1, identical, nowMs, withinMs);
    if (!alternating || this.#ran.at(-2)?.call !== call) return undefined;
    return this.#repeated('alternating', 2, identical, nowMs, withinMs);
  }

  /** A refused call counts as a run with the same result: a caller that only repeats it stays in its loop. */
  refuse(call: string, loop: Loop, atMs: number, rules: HistoryRules): void {
    if (loop.kind === 'identical' || this.#refused?.call !== call) this.note(call, loop.result, atMs, rules);
    this.#refused = { call, loop };
  }

  /** Takes in a run with its result. */
  note(call: string, result: string, atMs: number, { identical }: HistoryRules): void {
    const ran = this.#ran;
    this.#refused = undefined;
    ran.push({ call, result, atMs });
    if (ran.length > 2 * identical) ran.splice(0, ran.length - 2 * identical);
  }

  /** @param period how many calls take turns @param times how often each of them has to have run */
  #repeated(kind: LoopKind, period: number, times: number, nowMs: number, withinMs: number): Loop | undefined {
    const ran = this.#ran;
    const first = ran.length - period * times;
    const oldest = ran[first];
    if (oldest === undefined || oldest.atMs <= nowMs - withinMs) return undefined;
    for (let at = ran.length - 1; at >= first + period; at -= 1) {
      const [later, earlier] = [ran[at], ran[at - period]];
      if (later?.call !== earlier?.call || later?.result !== earlier?.result) return undefined;
    }
    const [next, same] = [ran[first + 1], ran.at(-period)];
    if (next === undefined || same === undefined) return undefined;
    // A refused call is noted too, so that the second of these runs is the one whose age then counts.
    return { kind, result: same.result, endsAtMs: next.atMs + withinMs };
  }
}
