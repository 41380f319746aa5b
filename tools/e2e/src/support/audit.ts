// The audit log as a client sees it, and a verifier of its own: written from the description of the chain, apart from
// the product's code.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Reply } from './client.js';
import type { Daemon } from './daemon.js';

export interface AuditEvent {
  readonly id: string;
  readonly seq: number;
  readonly timestamp: string;
  readonly event_type: string;
  readonly status: string;
  readonly capability_id?: string;
  readonly actor_id?: string;
  readonly server_id?: string;
  readonly trace_id?: string;
  readonly request_id?: string;
  readonly approval_id?: string;
  readonly idempotency_key?: string;
  readonly is_replay?: boolean;
  readonly sanitized_args?: Readonly<Record<string, unknown>>;
  readonly error_code?: string;
  readonly duration_us?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly chain_id?: string;
  readonly client?: { readonly name: string; readonly version?: string };
  readonly channel?: string;
  readonly profile?: string;
  readonly rule?: string;
  readonly policy_digest?: string;
  readonly definition_digest?: string;
  readonly args_digest?: string;
  readonly result_digest?: string;
  readonly result_bytes?: number;
  readonly queue_us?: number;
  readonly upstream_us?: number;
  readonly prev_hash: string;
  readonly hash: string;
}

export interface AuditPage {
  readonly ok: boolean;
  readonly events: readonly AuditEvent[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface Report {
  readonly is_valid: boolean;
  readonly total_records: number;
  readonly verified_records: number;
  readonly first_corrupted_id: string | number | null;
  readonly details: string;
  readonly chains?: readonly { readonly chain_id: string; readonly is_valid: boolean }[];
  readonly checkpoints?: { readonly total: number; readonly details: string };
}

export function auditOf(daemon: Daemon) {
  const list = (query = ''): Promise<Reply<AuditPage>> => daemon.get(`/v1/audit/events${query}`);
  return {
    list,
    /** Newest first. */
    async events(query = '?limit=1000'): Promise<readonly AuditEvent[]> {
      const { status, body } = await list(query);
      expect(status).toBe(200);
      return body.events;
    },
    async report(): Promise<Report> {
      const { status, body } = await daemon.get<{ ok: boolean; report: Report }>('/v1/audit/verify');
      expect([status, body.ok]).toEqual([200, true]);
      return body.report;
    },
  };
}

/** Type and status, oldest first, without the start and the end of the service. */
export const briefly = (events: readonly AuditEvent[]): readonly string[] =>
  events
    .toReversed()
    .filter(({ event_type }) => !event_type.startsWith('service_'))
    .map(({ event_type, status }) => `${event_type} ${status}`);

/** JSON with sorted names. It is the canonical form of values without numbers that RFC 8785 writes otherwise. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The records of which each is where its own hash and that of the one before say; oldest first. */
export function expectChain(records: readonly AuditEvent[], genesis = sha256('portico-audit-v1')): void {
  let before = genesis;
  for (const [index, { hash, ...rest }] of records.entries()) {
    expect(rest).toMatchObject({ seq: index + 1, id: `aud-${String(index + 1).padStart(12, '0')}`, prev_hash: before });
    expect(hash).toBe(sha256(before + canonical(rest)));
    before = hash;
  }
}
