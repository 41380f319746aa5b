// The stream of changes: shown data is requested again after a change, and a broken stream is opened again behind
// the last event that arrived.
import { ApiError, type UpdateMessage } from '@portico/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { pause } from './pause.js';
import { createRenewal } from './renewal.js';
import { useClient } from './session.js';

export interface Change {
  readonly key: string;
  readonly at: Date;
  readonly message: UpdateMessage;
}

interface Live {
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'signed_out';
  /** Time of the last sign of life of the daemon, while it is away. */
  readonly awaySince: Date | undefined;
  /** The last ones that arrived while this page was open, newest first. */
  readonly changes: readonly Change[];
}

const LiveContext = createContext<Live>({ state: 'connecting', awaySince: undefined, changes: [] });

const keptChanges = 50;
const longestPauseMs = 15_000;

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useClient();
  const queries = useQueryClient();
  const [state, setState] = useState<Live['state']>('connecting');
  const [awaySince, setAwaySince] = useState<Date | undefined>(undefined);
  const [changes, setChanges] = useState<readonly Change[]>([]);

  useEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    const renew = createRenewal(queries, signal);
    let lastEventId: string | undefined;
    let count = 0;
    const onOpen = () => {
      if (signal.aborted) return;
      setState('live');
      setAwaySince(undefined);
    };
    const read = async () => {
      const messages = client.streamUpdates({ signal, lastEventId, onOpen });
      for await (const message of messages) {
        if (signal.aborted) return; // it arrived with the token before
        lastEventId = message.id ?? lastEventId;
        count += 1;
        const change = { key: `${count}`, at: new Date(), message };
        setChanges((before) => [change, ...before].slice(0, keptChanges));
        renew(message.event === 'resource_updated' ? 'resources' : undefined);
      }
    };
    const readOn = async () => {
      for (let failures = 0; !signal.aborted; failures += 1) {
        const startedAt = Date.now();
        const isRefused = await read().then(
          () => false,
          (error: unknown) => error instanceof ApiError, // the client reports it
        );
        if (signal.aborted) return;
        setState(isRefused ? 'signed_out' : 'reconnecting');
        setAwaySince((before) => (isRefused ? undefined : (before ?? new Date())));
        if (Date.now() - startedAt > longestPauseMs) failures = 0;
        await pause(Math.min(500 * 2 ** failures, longestPauseMs), signal);
        void queries.invalidateQueries(); // events in between are lost, and requests may wait to be repeated
      }
    };
    setChanges([]);
    setState('connecting');
    void readOn();
    return () => gone.abort();
  }, [client, queries]);

  const live = useMemo(() => ({ state, awaySince, changes }), [state, awaySince, changes]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}
