// All differences from the lock, of a daemon that answers with a page of them at a time.
import { defaultDriftLimit, type LockDrift } from '@portico/contracts';

/** Differences that come in while the pages are read are on none of them: what is accepted is named by its digest. */
export async function allPages(
  read: (page: { readonly limit: number; readonly offset: number }) => Promise<Omit<LockDrift, 'ok'>>,
): Promise<Omit<LockDrift, 'ok'>> {
  const first = await read({ limit: defaultDriftLimit, offset: 0 });
  const drifts = [...first.drifts];
  while (drifts.length < (first.total ?? 0)) {
    const next = await read({ limit: defaultDriftLimit, offset: drifts.length });
    if (next.drifts.length === 0) break; // there are fewer by now
    drifts.push(...next.drifts);
  }
  return { ...first, drifts };
}
