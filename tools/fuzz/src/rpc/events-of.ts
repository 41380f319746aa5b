// Messages of an event stream.

/**
 * The JSON of each event that has data; undefined if one of them is no JSON. The first event of a stream of 2025-11-25 has
 * none: it gives its id, and the time after which to reconnect.
 */
export function eventsOf(text: string): readonly unknown[] | undefined {
  try {
    return [...text.matchAll(/^data:(?! ?$) ?(.+)$/gm)].map(([, data = '']) => JSON.parse(data));
  } catch {
    return undefined;
  }
}
