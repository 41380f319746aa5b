// How long something still has, second by second.
import { useEffect, useState } from 'react';
import { formatDuration } from '../lib/format.js';

interface CountdownProps {
  readonly untilMs: number;
  /** When it is over. */
  readonly over: string;
}

export function Countdown({ untilMs, over }: CountdownProps) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.floor((untilMs - now) / 1000);
  return (
    <time dateTime={new Date(untilMs).toISOString()} className={left <= 30 ? 'countdown is-short' : 'countdown'}>
      {left <= 0 ? over : `${formatDuration(left * 1000)} left`}
    </time>
  );
}
