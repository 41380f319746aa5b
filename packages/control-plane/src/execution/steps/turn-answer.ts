// The answers of an upstream. Shapes only.
import type { JsonObject, JsonValue, RetryMetadata } from '@portico/contracts';

export interface Answer {
  readonly data: JsonValue;
  /** The JSON text that the data came as, or that of other data with numbers that keep their texts. */
  readonly dataText?: string | undefined;
  readonly retry: RetryMetadata;
}

/** The answer of an upstream so far. */
export interface TurnAnswer extends Answer {
  readonly data: JsonObject;
  /** It waits for the caller, and these are its questions. */
  readonly isPaused: boolean;
}
