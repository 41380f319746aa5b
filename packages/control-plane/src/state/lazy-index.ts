// A search index that is made when it is first used: a start need not wait for it.
import type { SearchIndex } from '@portico/search';

export function createLazyIndex(make: () => SearchIndex): SearchIndex {
  let made: SearchIndex | undefined;
  const index = () => {
    made ??= make();
    return made;
  };
  return Object.freeze({
    get size() {
      return index().size;
    },
    search: (...query: Parameters<SearchIndex['search']>) => index().search(...query),
    replaceServer: (...change: Parameters<SearchIndex['replaceServer']>) => index().replaceServer(...change),
    replaceServerInSteps: (...change: Parameters<SearchIndex['replaceServerInSteps']>) =>
      index().replaceServerInSteps(...change),
  });
}
