// Streams of changes that callers have open, over HTTP and over MCP: each principal has its share of them.
import { createShares } from '@portico/async';
import { PorticoError } from '@portico/contracts';
import { shareUsedUp } from '../waiting/share-used-up.js';
import type { Identity } from './authenticator.js';

/** Counts a stream until the returned function is called. @throws PorticoError POLICY_DENIED if the share is used up */
export type OpenStream = (identity: Pick<Identity, 'principal' | 'actor'>) => () => void;

export function createStreamCount(limit: () => number): OpenStream {
  const shares = createShares(limit);
  return ({ principal, actor }) => {
    const holder = [principal];
    const refusal = shares.take(holder);
    if (refusal !== undefined) {
      const usedUp = { ...refusal, setting: 'streams', limit: limit() } as const;
      const share = shareUsedUp(usedUp, 'streams of changes', { principal: actor ?? principal });
      throw new PorticoError('POLICY_DENIED', `${share}; close some of them first`);
    }
    let isOpen = true;
    return () => {
      if (isOpen) shares.release(holder);
      isOpen = false;
    };
  };
}
