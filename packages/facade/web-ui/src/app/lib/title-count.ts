// A number before the title of the tab, as mail programs show it.

/** @param title with or without a number that is there already */
export function withCount(title: string, count: number): string {
  const bare = title.replace(/^\(\d+\) /, '');
  return count > 0 ? `(${count}) ${bare}` : bare;
}
