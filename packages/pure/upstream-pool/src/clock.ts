// The port to time. Everything in this package that waits or measures does it through here.

export interface Clock {
  /** Monotonic milliseconds; only differences mean anything. */
  now(): number;
  /** Milliseconds since the Unix epoch, for timestamps that people read. */
  epochMs(): number;
  /** Calls `run` after `ms`, unless the returned function is called before. The cheap way to wait, for every call. */
  after(ms: number, run: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
