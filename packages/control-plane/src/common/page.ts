// Pages of things that may be large: read a few at a time, and ended early rather than too big to be sent.

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Size of a page, bytes of JSON, before its last entry. */
const maxPageBytes = 8 * 1024 * 1024;
const atATime = 8;

/** The function returns whether the entries that it was given, this one included, come to 8 MiB. */
export function createPageBudget(): (entry: unknown) => boolean {
  let bytes = 0;
  return (entry) => {
    bytes += JSON.stringify(entry).length;
    return bytes >= maxPageBytes;
  };
}

/** Up to `limit` entries from `offset` on; fewer when they come to 8 MiB. @param read gives a part of what there is */
export async function readPage<T>(
  { limit, offset }: Page,
  read: (part: Page) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const page: T[] = [];
  const isFull = createPageBudget();
  while (page.length < limit) {
    const part = { limit: Math.min(atATime, limit - page.length), offset: offset + page.length };
    const entries = await read(part);
    for (const entry of entries) {
      page.push(entry);
      if (isFull(entry)) return page;
    }
    if (entries.length < part.limit) return page;
  }
  return page;
}
