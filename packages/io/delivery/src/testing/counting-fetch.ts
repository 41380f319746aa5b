// Counts the requests that are begun: one that is cut may never arrive. For tests only.

export function createCountingFetch() {
  let tries = 0;
  const counting: typeof fetch = (...given) => {
    tries += 1;
    return fetch(...given);
  };
  return { fetch: counting, tries: () => tries };
}
