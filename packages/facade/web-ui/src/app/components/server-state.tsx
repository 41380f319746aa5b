// How a server and its circuit are doing, as words.
import type { ServerInfo } from '@portico/contracts';
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

export function StatusBadge({ status }: Pick<ServerInfo, 'status'>) {
  return <Badge tone={tones[status]}>{status}</Badge>;
}

const circuits = {
  closed: ['good', 'closed'],
  half_open: ['warn', 'half open'],
  open: ['bad', 'open'],
} as const satisfies Record<ServerInfo['circuit']['state'], readonly [Tone, string]>;

export function CircuitBadge({ circuit }: Pick<ServerInfo, 'circuit'>) {
  const [tone, word] = circuits[circuit.state];
  return (
    <Badge tone={tone}>
      {word}
      {circuit.state === 'open' ? `, ${formatDuration(circuit.remaining_ms)} left` : ''}
    </Badge>
  );
}
