// How many calls wait for a person, where it is seen while another tab is open: in the title of this one and, where the
// person has switched them on, as notifications of the browser. They say how many, never what.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { often } from '../data/queries.js';
import { useClient } from '../data/session.js';
import { withCount } from '../lib/title-count.js';

const key = 'portico.notifications';
const isSupported = typeof Notification !== 'undefined';

/** The switch in the menu, and the work behind it. */
export function WaitingCalls() {
  const [isOn, setOn] = useState(() => isSupported && localStorage.getItem(key) === 'on');
  const [isRefused, setRefused] = useState(false);
  const waiting = useWaiting();
  useTitleCount(waiting);
  useNotifications(waiting, isOn);
  const choose = async (next: boolean) => {
    const isGranted = next && (await Notification.requestPermission()) === 'granted';
    setRefused(next && !isGranted);
    setOn(isGranted);
    if (isGranted) localStorage.setItem(key, 'on');
    else localStorage.removeItem(key);
  };
  if (!isSupported) return null;
  return (
    <div className="theme-switch">
      <label>
        <input type="checkbox" checked={isOn} onChange={(event) => void choose(event.target.checked)} /> Notify me of
        waiting calls
      </label>
      {isRefused ? <p role="status">The browser does not allow notifications for this address.</p> : null}
    </div>
  );
}

/** Asked in the background too; undefined before the first answer. */
function useWaiting(): number | undefined {
  const client = useClient();
  const config = useQuery({
    queryKey: ['config'],
    queryFn: ({ signal }) => client.getConfig({ signal }),
    refetchInterval: often,
    refetchIntervalInBackground: true,
  });
  return config.data?.metrics.approvals_pending;
}

/** Pages set the title; the number is put before that title. */
function useTitleCount(waiting = 0): void {
  useEffect(() => {
    const apply = () => {
      const title = withCount(document.title, waiting);
      if (title !== document.title) document.title = title;
    };
    apply();
    const observer = new MutationObserver(apply);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [waiting]);
}

/** One for each time that more of them wait than before. */
function useNotifications(waiting: number | undefined, isOn: boolean): void {
  const before = useRef<number | undefined>(undefined);
  useEffect(() => {
    const known = before.current;
    before.current = waiting;
    if (!isOn || known === undefined || waiting === undefined || waiting <= known || !document.hidden) return;
    const text = waiting === 1 ? 'A call waits for your decision.' : `${waiting} calls wait for your decision.`;
    const notification = new Notification('Portico', { body: text, tag: 'portico-approvals' });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  }, [waiting, isOn]);
}
