// Ids of tickets: `<prefix>-<Unix seconds of its creation>-<number of its row>`.

export interface IdColumns {
  readonly created_at_ms: number;
  readonly seq: number;
}

export function toRowId(prefix: string, { created_at_ms, seq }: IdColumns): string {
  return `${prefix}-${Math.floor(created_at_ms / 1000)}-${seq}`;
}

/** At most 15 digits, so that a number is exact. */
const idPattern = /^([a-z]+)-(0|[1-9]\d{0,14})-([1-9]\d{0,14})$/;

/**
 * Where to look for a row: its number, and the second in which it was created. The second counts: an id that was never
 * given out matches nothing. Undefined for what is no id of this prefix.
 */
export function parseRowId(prefix: string, id: string): { readonly seq: number; readonly fromMs: number } | undefined {
  const [, given, seconds, seq] = idPattern.exec(id) ?? [];
  return given === prefix ? { seq: Number(seq), fromMs: Number(seconds) * 1000 } : undefined;
}
