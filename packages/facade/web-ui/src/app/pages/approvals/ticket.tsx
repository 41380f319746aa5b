// A ticket, and its state as a word.
import type { Answers } from '@portico/client';
import { Badge, type Tone } from '../../components/badge.js';

export type Ticket = Answers['getApproval']['approval'];

const tones: Readonly<Record<string, Tone>> = {
  pending: 'warn',
  approved: 'good',
  rejected: 'bad',
  expired: 'neutral',
};

export function TicketBadge({ status }: { readonly status: string }) {
  return <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge>;
}
