// A call as facades hand it over, and the failure that ends one. Shapes only.
import {
  type Correlation,
  type ErrorCode,
  type JsonObject,
  nothingSent,
  PorticoError,
  type RetryMetadata,
} from '@portico/contracts';

export type CallKind = 'tool' | 'resource' | 'prompt';

export interface Call {
  readonly kind: CallKind;
  /** Canonical id or alias. */
  readonly id: string;
  /** Arguments of a tool or prompt; empty for a resource. */
  readonly args: JsonObject;
  readonly correlation: Correlation;
  /** Null for the whole catalog. */
  readonly profile: string | null;
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
}

/** A failure that also knows what it means for a repeat. */
export class CallFailure extends PorticoError {
  readonly retry: RetryMetadata;

  constructor(code: ErrorCode, message: string, retry: RetryMetadata = nothingSent) {
    super(code, message);
    this.name = 'CallFailure';
    this.retry = retry;
  }
}
