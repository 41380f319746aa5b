// What calls with more than one turn have in common: made once for a control plane.
import type { Limits } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { type ApprovedTurns, createApprovedTurns } from './approved-turns.js';
import { createParkedCalls, type ParkedCalls } from './parked-calls.js';
import { createRequestStates, type RequestStates } from './request-state.js';
import { createTicketClients, type TicketClients } from './ticket-clients.js';

export interface Interaction {
  readonly states: RequestStates;
  readonly parked: ParkedCalls;
  readonly approvedTurns: ApprovedTurns;
  readonly clients: TicketClients;
}

export function createInteraction(
  clock: Clock,
  randomHex: (characters: number) => string,
  limits: () => Limits,
): Interaction {
  const states = createRequestStates(randomHex(64));
  const parked = createParkedCalls(clock, states, randomHex, () => limits().parkedCalls);
  return { states, parked, approvedTurns: createApprovedTurns(clock), clients: createTicketClients() };
}
