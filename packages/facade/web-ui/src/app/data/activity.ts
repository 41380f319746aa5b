// The last calls, as they end: read once, then followed by the stream of calls while the page is visible.
import type { Answers } from '@portico/client';
import type { RecentCall } from '@portico/contracts';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from './session.js';

type Activity = Answers['listActivity'];

const kept = 200;
const queryKey = ['activity'];
const pauseMs = 3000;

export function useActivity(): UseQueryResult<Activity> {
  const client = useClient();
  const queries = useQueryClient();
  const isVisible = useIsVisible();
  const activity = useQuery({ queryKey, queryFn: ({ signal }) => client.listActivity({ limit: kept }, { signal }) });
  const canFollow = activity.data !== undefined && isVisible;

  // A browser keeps few connections to one address open, so a hidden tab has no stream.
  useEffect(() => {
    if (!canFollow) return;
    const gone = new AbortController();
    const { signal } = gone;
    const follow = async () => {
      const lastEventId = queries.getQueryData<Activity>(queryKey)?.cursor;
      for await (const message of client.streamActivity({}, { signal, lastEventId })) {
        if (signal.aborted) return;
        if (message.event === 'call')
          queries.setQueryData<Activity>(queryKey, (before) => withCall(before, message.data));
      }
    };
    const followOn = async () => {
      while (!signal.aborted) {
        await follow().catch(() => {}); // the banner of the page says that the daemon is away
        if (signal.aborted) return;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        await queries.invalidateQueries({ queryKey });
      }
    };
    void followOn();
    return () => gone.abort();
  }, [client, queries, canFollow]);

  return activity;
}

function withCall(before: Activity | undefined, call: RecentCall): Activity | undefined {
  if (before === undefined) return undefined;
  const others = before.calls.filter(({ id }) => id !== call.id);
  return { ...before, calls: [call, ...others].slice(0, kept), cursor: call.id };
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    const onChange = () => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return isVisible;
}
