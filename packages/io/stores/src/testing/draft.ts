// Drafts of tickets.
import type { TicketDraft } from '@portico/control-plane';

/** In Unix milliseconds: the last one of second 1760000000. */
export const createdAtMs = 1_760_000_000_999;

export function draftOf(some: Partial<TicketDraft> = {}): TicketDraft {
  return {
    kind: 'tool',
    capabilityId: 'files.write',
    serverId: 'files',
    args: { path: '/tmp/a', token: 's3cret' },
    sanitizedArgs: { path: '/tmp/a', token: '********' },
    correlation: { requestId: 'r-1', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    principal: 'ann',
    profile: null,
    role: null,
    actor: null,
    source: { channel: 'mcp-http', client: { name: 'agent', version: '1' } },
    rule: 'require_approval:s.*',
    key: { key: 'k-1', fingerprint: 'f-1' },
    definition: null,
    createdAtMs,
    expiresAtMs: createdAtMs + 300_000,
    ...some,
  };
}
