// Shared by calls with more than one turn: created once for a control plane.
import type { Limits } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { type ApprovedTurns, createApprovedTurns } from './approved-turns.js';
import { createParkedCalls, type ParkedCalls, type ParkedRequest } from './parked-calls.js';
import { createRequestStates, type RequestStates } from './request-state.js';
import { createTicketClients, type TicketClients } from './ticket-clients.js';

export interface Interaction<Request extends ParkedRequest = ParkedRequest> {
  readonly states: RequestStates;
  readonly parked: ParkedCalls<Request>;
  readonly approvedTurns: ApprovedTurns;
  readonly clients: TicketClients;
}

export function createInteraction<Request extends ParkedRequest>(
  clock: Clock,
  randomHex: (characters: number) => string,
  limits: () => Limits,
): Interaction<Request> {
  const states = createRequestStates(randomHex(64));
  const parked = createParkedCalls<Request>(clock, states, randomHex, () => limits().parkedCalls);
  return { states, parked, approvedTurns: createApprovedTurns(clock), clients: createTicketClients() };
}
