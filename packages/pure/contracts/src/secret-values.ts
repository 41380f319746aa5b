// The port to values that must not be shown under any key. The embedder knows them.
import type { JsonObject } from './json.js';

/** Values that are known to be secret under every key. */
export interface SecretValues {
  /** Whether there are none. A plain field, since it is read for every record. */
  readonly isEmpty: boolean;
  /** The text with every one of them replaced. */
  maskText(text: string): string;
  /** The same for every text in an object, its keys included; the same object where there is none in it. */
  maskObject(object: JsonObject): JsonObject;
}
