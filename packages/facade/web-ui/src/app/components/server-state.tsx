// How a server and its circuit are doing, as words.
import { type ServerInfo, shownCircuit, shownStatus } from '@portico/contracts';
import { formatDuration } from '../lib/format.js';
import { Badge, type Tone } from './badge.js';

const tones: Readonly<Record<ServerInfo['status'], Tone>> = {
  connected: 'good',
  connecting: 'info',
  reconnecting: 'warn',
  degraded: 'bad',
  disabled: 'bad',
  idle: 'neutral',
};

export function StatusBadge({ server }: { readonly server: Pick<ServerInfo, 'status' | 'given_up'> }) {
  return <Badge tone={tones[server.status]}>{shownStatus(server)}</Badge>;
}

const circuits = {
  closed: ['good', 'closed'],
  half_open: ['warn', 'half open'],
  open: ['bad', 'open'],
} as const satisfies Record<ServerInfo['circuit']['state'], readonly [Tone, string]>;

/** Nothing where the server is not connected and its circuit is closed. */
export function CircuitBadge({ server }: { readonly server: Pick<ServerInfo, 'status' | 'circuit'> }) {
  const circuit = shownCircuit(server);
  if (circuit === undefined) return null;
  const [tone, word] = circuits[circuit.state];
  return (
    <Badge tone={tone}>
      {word}
      {circuit.state === 'open' ? `, ${formatDuration(circuit.remaining_ms)} left` : ''}
    </Badge>
  );
}
