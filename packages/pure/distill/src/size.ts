// How much of a value there is, roughly as long as its JSON: one value may stand in many places, and is as long in each.
// Never walks further than it must to know that something is too large.
import { isJsonObject, type JsonValue } from '@portico/contracts';

/** Characters of strings and keys plus one for every value; what is above `max` may be any number above it. */
export function sizeUpTo(values: readonly JsonValue[], max: number): number {
  const pending: (JsonValue | undefined)[] = [...values];
  let size = 0;
  while (pending.length > 0 && size <= max) {
    const value = pending.pop();
    size += typeof value === 'string' ? value.length + 1 : 1;
    if (Array.isArray(value)) {
      if (size + value.length > max) return size + value.length;
      for (const item of value) pending.push(item);
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) {
        size += key.length;
        pending.push(value[key]);
      }
    }
  }
  return size;
}
