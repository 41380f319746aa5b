// What calls with more than one turn have in common: made once for a control plane.
import type { Clock } from '@portico/upstream-pool';
import { type ApprovedTurns, createApprovedTurns } from './approved-turns.js';
import type { CallClient } from './client.js';
import { createParkedCalls, type ParkedCalls } from './parked-calls.js';
import { createRequestStates, type RequestStates } from './request-state.js';

export interface Interaction {
  readonly states: RequestStates;
  readonly parked: ParkedCalls;
  readonly approvedTurns: ApprovedTurns;
  /** By the ticket that each waits for. */
  readonly clients: Map<string, CallClient>;
}

export function createInteraction(clock: Clock, randomHex: (characters: number) => string): Interaction {
  const states = createRequestStates(randomHex(64));
  const parked = createParkedCalls(clock, states, randomHex);
  return { states, parked, approvedTurns: createApprovedTurns(clock), clients: new Map() };
}
