// The port to time of the audit log: what it shares with other clocks of Portico.

export interface AuditClock {
  /** Milliseconds since the Unix epoch. */
  epochMs(): number;
  /** Calls `run` after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}
