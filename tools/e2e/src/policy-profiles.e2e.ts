// A profile's own policy only narrows, and every digest follows the policy that made its view.
import { beforeAll, describe, expect, it } from 'vitest';
import { brief } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

const definitions = { tools: ['a', 'b', 'denied', 'gated', 'other'].map((name) => tool(name)) };
const base = { deny: ['s.denied'], allow: ['s.a', 's.b', 's.denied', 's.gated'], requireApproval: ['s.gated'] };

const profiles = {
  plain: { servers: ['s'] },
  empty: { servers: ['s'], policy: {} },
  null: { servers: ['s'], policy: null },
  widening: { servers: ['s'], policy: { allow: ['*'], deny: [], requireApproval: [] } },
  narrowing: { servers: ['s'], policy: { allow: ['s.b', 's.other', 's.denied', 's.gated'] } },
  denying: { servers: ['s'], policy: { deny: ['s.a'] } },
  gating: { servers: ['s'], policy: { requireApproval: ['s.a', 's.denied', 's.other'] } },
};

describe('the policy of a profile', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    daemon = await startDaemon({ mcpServers: { s: scripted(definitions).server }, policy: base, profiles });
    await daemon.connected();
  });

  const names = ['a', 'b', 'denied', 'gated', 'other'];
  const asBase = [200, 200, 403, 202, 404];

  it.each([
    ['no profile', undefined, asBase],
    ['plain', 'plain', asBase],
    ['empty', 'empty', asBase],
    ['null', 'null', asBase],
    ['widening', 'widening', asBase],
    ['narrowing', 'narrowing', [404, 200, 403, 202, 404]],
    ['denying', 'denying', [403, 200, 403, 202, 404]],
    ['gating', 'gating', [202, 200, 403, 202, 404]],
  ])(
    'narrows the base policy and never widens it: %s [policy-allow-deny] [policy-execution-time]',
    async (_, profile, expected) => {
      const headers: Readonly<Record<string, string>> = profile === undefined ? {} : { 'x-service-profile': profile };
      const visible = names.filter((__, index) => expected[index] === 200 || expected[index] === 202);
      const { body } = await daemon.list('capabilities', headers);
      expect(body.capabilities.map(({ tool: name }) => name)).toEqual(visible);
      for (const [index, name] of names.entries()) {
        const id = `s.${name}`;
        const call = await daemon.post<Envelope>('/v1/tools/call', { capability_id: id, args: {} }, headers);
        expect([id, call.status]).toEqual([id, expected[index]]);
        const isVisible = visible.includes(name);
        expect((await daemon.get(`/v1/capabilities/${id}`, headers)).status).toBe(isVisible ? 200 : 404);
        const found = await daemon.post<{ capabilities: { id: string }[] }>(
          '/v1/capabilities/search',
          { query: name, server_ids: ['s'] },
          headers,
        );
        expect(found.body.capabilities.some((item) => item.id === id)).toBe(isVisible);
      }
      const steps = [{ id: 'x', capability_id: 's.a', args: {} }];
      const batch = await daemon.post<{ results: { ok: boolean }[] }>('/v1/tools/batch_call', { steps }, headers);
      expect(batch.body.results[0]?.ok).toBe(expected[0] === 200);
    },
  );
});

describe('digests follow policy', () => {
  const versions = async (config: object) => {
    const daemon = await startDaemon({ mcpServers: { s: scripted(definitions).server }, ...config });
    await daemon.connected();
    const whole = await daemon.list('capabilities');
    const ofProfile = await daemon.list('capabilities', { 'x-service-profile': 'p' });
    expect(whole.headers.etag).toBe(`"${whole.body.catalog_version}"`);
    const conditional = { 'x-service-profile': 'p', 'if-none-match': ofProfile.headers.etag ?? '' };
    expect((await daemon.list('capabilities', conditional)).status).toBe(304);
    return { version: whole.body.catalog_version, profile: ofProfile.headers.etag, daemon };
  };

  it('of the catalog: every list counts, order and repetition do not [catalog-digest-changes-with-policy]', async () => {
    const p = { servers: ['s'] };
    const policies: readonly (object | null)[] = [
      null,
      { deny: ['nothing.matches'] },
      { deny: ['s.a'] },
      { allow: ['s.*'] },
      { requireApproval: ['s.a'] },
      { requireApproval: ['s.a', 's.b'] },
      { deny: ['s.a', 's.b'] },
    ];
    const seen = await Promise.all(policies.map((policy) => versions({ policy, profiles: { p } })));
    expect(new Set(seen.map(({ version }) => version)).size).toBe(policies.length);
    expect(new Set(seen.map(({ profile }) => profile)).size).toBe(policies.length);
    const again = await versions({ policy: { deny: ['s.b', 's.a', 's.b'] }, profiles: { p } });
    expect(again.version).toBe(seen.at(-1)?.version);
    const stale = await again.daemon.list('capabilities', { 'if-none-match': `"${seen[0]?.version}"` });
    expect(stale.status).toBe(200);
  });

  it('of a profile: its own policy changes its ETag and no other one [version-profile-etag-policy]', async () => {
    const policies = [null, { deny: ['s.a'] }, { allow: ['s.*'] }, { requireApproval: ['s.a'] }];
    const seen = await Promise.all(policies.map((policy) => versions({ profiles: { p: { servers: ['s'], policy } } })));
    expect(new Set(seen.map(({ profile }) => profile)).size).toBe(policies.length);
    expect(new Set(seen.map(({ version }) => version)).size).toBe(1);
    for (const { profile, version } of seen) expect(profile?.startsWith(`"${version}-p:p:`)).toBe(true);
    // An ETag of one policy is never good for another.
    const [first, second] = seen;
    const headers = { 'x-service-profile': 'p', 'if-none-match': first?.profile ?? '' };
    expect((await second?.daemon.list('capabilities', headers))?.status).toBe(200);
  });

  it('and a profile without the server shows nothing, with every policy [policy-allow-deny]', async () => {
    const daemon = await startDaemon({
      mcpServers: { s: scripted(definitions).server },
      profiles: { none: { servers: [], policy: { allow: ['*'] } } },
    });
    await daemon.connected();
    const headers = { 'x-service-profile': 'none' };
    expect((await daemon.list('capabilities', headers)).body.capabilities).toEqual([]);
    const call = await daemon.post<Envelope>('/v1/tools/call', { capability_id: 's.a', args: {} }, headers);
    expect(brief(call)).toEqual([404, 'TOOL_NOT_FOUND']);
  });
});
