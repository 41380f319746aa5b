// How far each SIEM target has got in the audit log. The implementation decides whether that outlives the process.

export interface SiemCursors {
  /** Position of the last record that the target has; 0 for a target that is not known. */
  get(target: string): Promise<number>;
  /** Resolves when the position is as durable as it will be. */
  set(target: string, seq: number): Promise<void>;
}

/** Creates positions of SIEM targets in memory: a target starts at the first record after a restart. */
export function createMemoryCursors(): SiemCursors {
  const positions = new Map<string, number>();
  return {
    get: async (target) => positions.get(target) ?? 0,
    set: async (target, seq) => void positions.set(target, seq),
  };
}
