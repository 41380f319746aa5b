// Operations of people on sampling tickets: opening tickets by hand, reading them, and answering them.
import type { AbortSignalLike } from '@portico/async';
import type { Correlation, JsonObject, Message, SamplingStatusName, ShownSamplingTicket } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { type Caller, CallFailure } from '../call/call.js';
import { ServiceStopping } from '../call/operations.js';
import { readPage } from '../common/page.js';
import type { PlaneState } from '../state/plane-state.js';
import type { Sampling } from './sampling.js';
import type { SamplingTicket } from './ticket.js';
import { toMessageResult, toShownTicket } from './wire.js';

export interface CreateMessage {
  readonly serverId: string;
  /** MCP `SamplingMessage` objects. */
  readonly messages: readonly JsonObject[];
  /** Null leaves it to the one who answers. */
  readonly maxTokens: number | null;
  readonly correlation: Correlation;
  readonly caller: Caller;
  /** Aborts when the caller gives up; the ticket stays. */
  readonly signal: AbortSignalLike;
}

export interface SamplingListQuery {
  readonly status?: SamplingStatusName;
  readonly serverId?: string;
  /** Only tickets of this principal. */
  readonly principal?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface SamplingService {
  /**
   * Opens a ticket, and waits up to toolTimeoutMs for its end unless it is not to be waited for. Gives the ticket as it
   * is then. @throws CallFailure RESOURCE_NOT_FOUND for a server that is not in the profile, POLICY_DENIED when too many wait
   */
  create(request: CreateMessage, isWaiting: boolean): Promise<ShownSamplingTicket>;
  /** Newest first, fewer than asked for where they are large; `total` counts all that match. */
  list(
    query: SamplingListQuery,
  ): Promise<{ readonly requests: readonly ShownSamplingTicket[]; readonly total: number }>;
  /** @param principal owner of the ticket; any by default */
  get(id: string, principal?: string): Promise<ShownSamplingTicket | undefined>;
  /** Answers a ticket; undefined if it is missing or not pending. */
  respond(id: string, message: Message): Promise<ShownSamplingTicket | undefined>;
}

export function createSamplingService(sampling: Sampling, state: () => PlaneState): SamplingService {
  return {
    async create({ serverId, messages, maxTokens, correlation, caller, signal }, isWaiting) {
      const now = state();
      refuseUnseen(now, caller, serverId);
      const { principal } = caller;
      const params = { messages, ...(maxTokens === null ? {} : { maxTokens }) };
      const ticket = await sampling.open({ serverId, params, origin: 'http', correlation, principal });
      const ended = isWaiting ? await untilEnded(sampling, ticket, now.config.toolTimeoutMs, signal) : undefined;
      return toShownTicket(ended ?? ticket);
    },
    async list(query) {
      let total = 0;
      const requests = await readPage(query, async (part) => {
        const found = await sampling.list({ ...query, ...part });
        total = found.total;
        return found.tickets.map(toShownTicket);
      });
      return { requests, total };
    },
    async get(id, principal) {
      const ticket = await sampling.get(id);
      if (ticket === undefined || (principal !== undefined && ticket.principal !== principal)) return undefined;
      return toShownTicket(ticket);
    },
    async respond(id, message) {
      const ticket = await sampling.complete(id, toMessageResult(message));
      return ticket && toShownTicket(ticket);
    },
  };
}

/** A caller that goes away, or a service that stops, leaves the ticket as it is. */
async function untilEnded(
  sampling: Sampling,
  ticket: SamplingTicket,
  waitMs: number,
  signal: AbortSignalLike,
): Promise<SamplingTicket | undefined> {
  try {
    return await sampling.wait(ticket.id, waitMs, [signal]);
  } catch (error) {
    if (error instanceof ServiceStopping || signal.aborted) return undefined;
    throw error;
  }
}

/** @throws CallFailure RESOURCE_NOT_FOUND */
function refuseUnseen(state: PlaneState, viewer: Viewer, serverId: string): void {
  const view = state.view(viewer);
  if (view === undefined) throw new CallFailure('RESOURCE_NOT_FOUND', `no profile "${viewer.profile}"`);
  if (!state.config.servers.has(serverId) || !view.showsServer(serverId))
    throw new CallFailure('RESOURCE_NOT_FOUND', `no server "${serverId}"`);
}
