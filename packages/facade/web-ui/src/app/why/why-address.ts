// The address of an explanation: the page that is open, with `?why=` and the id of a record, a trace, an approval or a request.
import { useLocation, useSearchParams } from 'wouter';

export const whyParameter = 'why';

/** The id that is explained, and how to close it. */
export function useWhy(): { readonly id: string | null; close(): void } {
  const [search, setSearch] = useSearchParams();
  const close = () =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.delete(whyParameter);
      return next;
    });
  return { id: search.get(whyParameter), close };
}

/** The address of this page with the explanation of an id. */
export function useWhyPath(): (id: string) => string {
  const [place] = useLocation();
  const [search] = useSearchParams();
  return (id) => {
    const next = new URLSearchParams(search);
    next.set(whyParameter, id);
    return `${place}?${next}`;
  };
}
