// A plane whose tool asks a person, with the steps from a call to a grant. For tests of this package only.
import type { AuditDraft } from '@portico/audit-chain';
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { expect } from 'vitest';
import { createMemoryStores } from '../memory-stores.js';
import { createMemoryMetrics } from '../observability/metrics/metrics.js';
import { author, startConfigured } from './start-configured.js';
import { type CallInput, stopped, tool } from './start-plane.js';

export const serverOf = (definition: JsonObject = { ...tool('push') }): MemoryServer => ({
  definitions: {
    tools: [definition, tool('wipe', { annotations: { destructiveHint: true } }), tool('echo')] as never,
    resources: [{ uri: 'x:note', name: 'note' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
  },
  handle: ({ params }) => ({ content: [], structuredContent: params.arguments as JsonObject }),
});
export const grants = { enabled: true, maxTtlSecs: 3600, maxUses: 50 };
export const policy = { requireApproval: ['s.push', 's.wipe', 's.x:*', 's.greet'], approvalTimeoutSecs: 60, grants };
const mcpServers = { s: { command: 'node' } };
export const args = { repo: 'acme/site', title: 'one' };
export const call = (more: Partial<CallInput> = {}): CallInput => ({ kind: 'tool', id: 's.push', args, ...more });

export type Request = { readonly ttlSecs: number; readonly uses: number; readonly keep?: readonly string[] };

/** @param more rules of the policy, beside those of grants */
export async function startGranted(more: JsonObject = {}, server = serverOf(), rest: JsonObject = {}) {
  const file = { mcpServers, policy: { ...policy, ...more }, ...rest };
  const metrics = createMemoryMetrics();
  const stores = { ...createMemoryStores(stopped), metrics };
  const started = await startConfigured({ s: server, t: serverOf() }, file, stores);
  const { plane, outcome } = started;
  const ask = async (input = call()) => {
    const { error } = (await outcome(input)).envelope;
    expect(error).toMatchObject({ approval_id: expect.any(String) });
    return error?.approval_id ?? '';
  };
  const approve = async (id: string, grant: Request, modified: JsonObject | null = null) => {
    const decision = await plane.approvals.approve(id, 'eve', modified, { grant: { ...grant, by: author } });
    if (decision.kind !== 'decided') throw new Error(decision.kind);
    return decision.grantId ?? '';
  };
  const grant = async (request: Partial<Request> = {}, input = call()) =>
    approve(await ask(input), { ttlSecs: 600, uses: 3, ...request });
  const ranOf = async (input = call()) => (await outcome(input)).envelope.ok;
  const contacts = () =>
    started
      .server('s')
      .requests()
      .map(({ params }) => params.arguments);
  return { ...started, metrics, ask, approve, grant, ranOf, contacts };
}

/** How many calls the metric says that grants have answered. */
export function usesCounted({ metrics }: Pick<Awaited<ReturnType<typeof startGranted>>, 'metrics'>): unknown {
  const [reading] = metrics.read('portico_grant_uses_total') as readonly { readonly value: number }[];
  return reading?.value;
}

/** Records with this action cannot be written until the function that is returned is called. */
export function breakRecords({ audit }: Pick<Awaited<ReturnType<typeof startGranted>>, 'audit'>, action: string) {
  const { begin } = audit;
  Object.assign(audit, {
    begin: async () => {
      const open = await begin();
      const end = (draft?: AuditDraft) =>
        draft?.details?.action === action ? Promise.reject(new Error('disk full')) : open.end(draft);
      return { end };
    },
  });
  return () => void Object.assign(audit, { begin });
}
