// Room for sessions of 2025-11-25. Where there is none left, the idle session that goes is one of the principal that has
// most: no principal loses a session to another that has more.
import { createShares } from '@portico/async';

export interface RoomySession {
  readonly caller: { readonly principal: string };
  readonly transport: { close(): Promise<void> };
  /** Requests and streams that are open at it, and calls that run. */
  readonly exchanges: number;
  readonly lastUsedMs: number;
  readonly leave: () => void;
}

export interface SessionRoom {
  /**
   * Takes a place, and returns the function that releases it; undefined if no place is free and no idle session may be
   * closed.
   */
  take(principal: string): (() => void) | undefined;
  heldBy(principal: string): number;
}

/** @param limit sessions of one principal while no other has any */
export function createSessionRoom(sessions: ReadonlyMap<string, RoomySession>, limit: () => number): SessionRoom {
  const shares = createShares(limit);

  const endOldestIdle = (principal: string): boolean => {
    let oldest: RoomySession | undefined;
    for (const session of sessions.values()) {
      if (session.exchanges > 0 || session.caller.principal !== principal) continue;
      if (oldest === undefined || session.lastUsedMs < oldest.lastUsedMs) oldest = session;
    }
    oldest?.leave();
    void oldest?.transport.close();
    return oldest !== undefined;
  };

  /**
   * The principal whose session is closed: the one that has most, where it still has no fewer afterwards, else the
   * caller.
   */
  const giverFor = (principal: string): string => {
    const largest = shares.largest() ?? principal;
    return shares.heldBy(largest) > shares.heldBy(principal) + 1 ? largest : principal;
  };

  return {
    take(principal) {
      while (shares.take([principal]) !== undefined) {
        if (!endOldestIdle(giverFor(principal)) && !endOldestIdle(principal)) return undefined;
      }
      let isHeld = true;
      return () => {
        if (isHeld) shares.release([principal]);
        isHeld = false;
      };
    },
    heldBy: shares.heldBy,
  };
}
