// Whether what is shown is live.
import { useLive } from '../data/live.js';

const words = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  signed_out: 'Not signed in',
} as const;

export function LiveMark() {
  const { state } = useLive();
  return (
    <p className={`live-mark is-${state}`} role="status">
      <span className="dot" aria-hidden="true" />
      {words[state]}
    </p>
  );
}
