// The arguments of a ticket as a person reads them, line by line: every key named, each value cut by itself, redacted
// values marked. The only place that decides this, so that no channel shows less than another without saying so.
import {
  exactTextOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ShownArgument,
  type ShownArguments,
} from '@portico/contracts';
import { hasHiddenKeys } from '../count-keys.js';
import { redacted } from '../redact-keys.js';
import { maxRedactedDepth, type Redactor } from '../redaction.js';
import { count, cutText, visibleJson, visibleKey, visibleText } from './visible-json.js';

/** Maximum length of values, keys and the whole. The rest is counted, and makes the view incomplete. */
export interface ShowLimits {
  /** Characters of one text. */
  readonly valueLength: number;
  readonly keyLength: number;
  /** Keys and list entries, at all depths. */
  readonly entries: number;
  /** Characters of all keys and values as they are shown. */
  readonly totalLength: number;
}

/** Limits of routes, the webhook, the terminal and the console. */
export const wideLimits: ShowLimits = Object.freeze({
  valueLength: 20_000,
  keyLength: 1000,
  entries: 1000,
  totalLength: 200_000,
});

/**
 * Keys in the order of their code units, lists in their own. Numbers are shown as they are sent, to the last digit.
 */
export function showArguments(args: JsonObject, redactor: Redactor, limits: ShowLimits): ShownArguments {
  const walk = new Walk(limits, redactor);
  walk.enter(args, redactor.redact(args), 0);
  return walk.end();
}

const exactIn = (container: object, key: string, value: JsonValue): string | undefined =>
  typeof value === 'number' ? exactTextOf(container, key, value) : undefined;

class Walk {
  readonly #limits: ShowLimits;
  readonly #redactor: Redactor;
  readonly #entries: ShownArgument[] = [];
  #left: number;
  #omitted = 0;
  #isCut = false;

  constructor(limits: ShowLimits, redactor: Redactor) {
    this.#limits = limits;
    this.#redactor = redactor;
    this.#left = limits.totalLength;
  }

  end(): ShownArguments {
    return { entries: this.#entries, omitted: this.#omitted, complete: this.#omitted === 0 && !this.#isCut };
  }

  /**
   * @param shown `value` after redaction, of the same shape but where a value was redacted
   * @param isOmitted whether what it is in found no room: nothing of it stands under the name of another then
   */
  enter(value: JsonObject | readonly JsonValue[], shown: JsonValue, depth: number, isOmitted = false): void {
    if (Array.isArray(value)) {
      const list: readonly JsonValue[] = value;
      const marked = Array.isArray(shown) ? (shown as readonly JsonValue[]) : []; // `isArray` forgets what is in it
      for (const [at, entry] of list.entries())
        this.#show(`[${at}]`, entry, marked[at] ?? null, depth, isOmitted, exactIn(list, String(at), entry));
      return;
    }
    const object = value as JsonObject; // what is no list
    const marked = isJsonObject(shown) ? new Map(Object.entries(shown)) : new Map<string, JsonValue>();
    for (const key of Object.keys(object).sort()) {
      const entry = object[key];
      if (entry === undefined) continue;
      const exact = exactIn(object, key, entry);
      this.#show(this.#keyOf(key), entry, marked.get(key) ?? null, depth, isOmitted, exact);
    }
  }

  #keyOf(key: string): string {
    const { text, isCut } = cutText(this.#redactor.maskText(key), this.#limits.keyLength);
    if (!isCut) return visibleKey(text);
    this.#isCut = true;
    return `${visibleJson(text)}… (${count(key.length, 'character')})`;
  }

  #show(key: string, value: JsonValue, shown: JsonValue, depth: number, isOmitted: boolean, exact?: string): void {
    const isRedacted = shown === redacted && value !== redacted;
    this.#isCut ||= isRedacted && depth >= maxRedactedDepth; // by its depth and not by its name: no secret, but unseen
    const text = isRedacted ? redacted : (exact ?? this.#textOf(value, shown));
    const isRoom = !isOmitted && this.#entries.length < this.#limits.entries && key.length + text.length <= this.#left;
    if (isRoom) {
      this.#left -= key.length + text.length;
      this.#entries.push({ depth, key, value: text, redacted: isRedacted });
    } else this.#omitted += 1;
    if (!isRedacted && typeof value === 'object' && value !== null) this.enter(value, shown, depth + 1, !isRoom);
  }

  /** A container says how much is in it; its entries follow. */
  #textOf(value: JsonValue, shown: JsonValue): string {
    if (typeof value === 'string') return this.#stringOf(value, typeof shown === 'string' ? shown : redacted);
    if (Array.isArray(value)) return `list of ${count(value.length, 'entry', 'entries')}`;
    if (isJsonObject(value)) return `object of ${count(Object.keys(value).length, 'key')}`;
    return JSON.stringify(value);
  }

  /** JSON within a text is redacted inside. Keys that a second one of the same name hides there cannot be named. */
  #stringOf(text: string, redactedInside: string): string {
    const shown = this.#redactor.maskText(redactedInside);
    const cut = visibleText(shown, this.#limits.valueLength);
    const isHiding = shown !== text && hasHiddenKeys(text);
    this.#isCut ||= cut.isCut || isHiding;
    if (shown === text) return cut.text;
    const why = isHiding ? 'redacted in part; keys occur twice in it, only the last is shown' : 'redacted in part';
    return `${cut.text} (${why}; ${count(text.length, 'character')} as sent)`;
  }
}
