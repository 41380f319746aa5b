// Answers about many rules and many things are made in pieces, and what rules match is counted once.
import { expect, it } from 'vitest';
import { createMemoryAuditLog } from '../audit/memory-audit-log.js';
import { initialState, reduce } from '../state/plane-state.js';
import { configOf } from '../testing/start-plane.js';
import { createPolicyService } from './policy-service.js';

const resources = Array.from({ length: 400 }, (_, n) => ({ uri: `mem:${n}`, name: `n${n}` }));
const deny = Array.from({ length: 20 }, (_, n) => `s.mem:${n}*`);

function readingOf(listed: typeof resources) {
  const definitions = { tools: [], resources: listed, resourceTemplates: [], prompts: [] };
  return { kind: 'definitions_read', server: 's', definitions } as const;
}

function start() {
  const config = configOf({ policy: { deny }, mcpServers: { s: { command: 'node' } } });
  let state = reduce(initialState(config), readingOf(resources));
  let turns = 0;
  const policy = createPolicyService({
    state: () => state,
    audit: createMemoryAuditLog({ capacity: 10, epochMs: () => 0 }),
    validator: () => ({ coerced: [] }),
    ruleHits: { of: () => undefined, ofShadow: () => undefined },
    pacer: {
      turn: () => {
        turns += 1;
        return undefined;
      },
    },
    epochMs: () => 0,
  } as unknown as Parameters<typeof createPolicyService>[0]);
  const turnsOf = async (work: () => Promise<unknown>) => {
    const before = turns;
    await work();
    return turns - before;
  };
  return { policy, turnsOf, read: (listed: typeof resources) => (state = reduce(state, readingOf(listed))) };
}

it('a list of rules takes turns while it counts what they match, and counts again only what has changed', async () => {
  const { policy, turnsOf, read } = start();
  expect(await turnsOf(() => policy.rules())).toBeGreaterThan(10);
  expect(await turnsOf(() => policy.rules())).toBe(0);
  expect((await policy.rules()).rules[3]?.matches).toBe(111);
  read(resources.slice(0, 10));
  expect((await policy.rules()).rules[3]?.matches).toBe(1);
});

it('a preview takes turns while it judges what is listed', async () => {
  const { policy, turnsOf } = start();
  const viewer = { profile: null, role: null };
  expect(await turnsOf(() => policy.preview({ lists: { deny: [] }, viewer }))).toBe(25);
});
