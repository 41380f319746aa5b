// The port to time of what waits here. A request is timed by its time limit, not by this.

export interface SiemClock {
  /** Milliseconds since the Unix epoch. */
  epochMs(): number;
  /** Calls `run` after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
  /** Resolves after `ms`; rejects when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
