// The time as this page shows it. One timer for all relative times, so that they change together.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

const ClockContext = createContext<number>(0);

export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <ClockContext value={now}>{children}</ClockContext>;
}

/** Milliseconds since the Unix epoch, a second old at most. */
export function useNow(): number {
  return useContext(ClockContext);
}
