// The digest of the catalog: what it covers, what it follows, and what leaves it as it is.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { ListName } from './support/wire.js';

const lists: readonly ListName[] = ['capabilities', 'resources', 'prompts'];

describe('the digest of the catalog', () => {
  const slowAndFast = (slow: 'a' | 'b') => ({
    a: fixture(...(slow === 'a' ? ['--delay-start', '300'] : [])),
    b: fixture(...(slow === 'b' ? ['--delay-start', '300'] : [])),
  });
  const texts = async (daemon: Daemon) => {
    await daemon.connected();
    return Promise.all(lists.map(async (name) => (await daemon.list(name)).text));
  };

  it('is the same in every order of connecting, after a restart and in two daemons of one config, to the byte [catalog-digest-stable-order] [catalog-digest-stable-restart] [overview-deterministic-output]', async () => {
    const config = { mcpServers: slowAndFast('a') };
    const [one, twin, other] = await Promise.all([
      startDaemon(config),
      startDaemon(config),
      startDaemon({ mcpServers: slowAndFast('b') }),
    ]);
    const first = await texts(one);
    expect(await texts(twin)).toEqual(first);
    expect(await texts(other)).toEqual(first);
    await one.stop();
    expect(await texts(await startDaemon(config))).toEqual(first);
  });

  it('changes with an alias and with what a profile holds [catalog-digest-changes-with-aliases] [version-profile-etag-membership]', async () => {
    const config = { mcpServers: { a: fixture(), b: fixture() }, profiles: { p: { servers: ['a'] } } };
    const [plain, aliased, wider] = await Promise.all([
      startDaemon(config),
      startDaemon({ ...config, capabilityAliases: { e: 'a.echo' } }),
      startDaemon({ ...config, profiles: { p: { servers: ['a', 'b'] } } }),
    ]);
    await Promise.all([plain.connected(), aliased.connected(), wider.connected()]);
    const versions = async (daemon: Daemon) => {
      const whole = await daemon.list('prompts');
      const narrowed = await daemon.list('prompts', { 'x-service-profile': 'p' });
      return { version: whole.body.catalog_version, etag: whole.headers.etag, profile: narrowed.headers.etag };
    };
    const before = await versions(plain);
    const withAlias = await versions(aliased);
    expect(withAlias.version).not.toBe(before.version);
    expect(withAlias.etag).not.toBe(before.etag);
    const withMember = await versions(wider);
    expect(withMember.version).toBe(before.version);
    expect(withMember.profile).not.toBe(before.profile);
  });

  describe('of a server that changes', () => {
    let daemon: Daemon;
    let changing: Scripted;
    const announce = tool('announce');
    const kept = tool('kept', { description: 'Stays as it is.' });
    const original = { description: 'Changes. In its second sentence.', annotations: { readOnlyHint: true } };

    beforeEach(async () => {
      changing = scripted({ tools: [announce, kept, tool('changing', original)] });
      daemon = await startDaemon({ mcpServers: { s: changing.server, raw: fixture() } });
      await daemon.connected();
    });

    const version = async () => (await daemon.list('capabilities')).body.catalog_version;

    const announced = async (kind: string) => {
      const before = await version();
      await daemon.call('s.announce', { kind });
      await eventually(async () => expect(await version()).not.toBe(before));
    };

    it('covers whole definitions, though the compact list stays the same [catalog-digest-full-definition] [catalog-describe-own-etag]', async () => {
      const etagOf = async (id: string) => (await daemon.get(`/v1/capabilities/${id}`)).headers.etag;
      const items = async () => (await daemon.list('capabilities')).body.capabilities;
      const before = { items: await items(), kept: await etagOf('s.kept') };
      const changes = [
        { ...original, description: 'Changes. In its last sentence.' },
        { ...original, annotations: { readOnlyHint: true, title: 'Changing' } },
        { ...original, inputSchema: { type: 'object', properties: { more: {} } } },
      ];
      const seen = [await version()];
      const etags = [await etagOf('s.changing')];
      for (const change of changes) {
        changing.define({ tools: [announce, kept, tool('changing', change)] });
        await announced('tools');
        seen.push(await version());
        etags.push(await etagOf('s.changing'));
      }
      expect(new Set(seen).size).toBe(4);
      expect(new Set(etags).size).toBe(4);
      expect({ items: await items(), kept: await etagOf('s.kept') }).toEqual(before);
    });

    it('follows announced changes of tools, resources and prompts [catalog-list-changed] [catalog-digest-changes-with-servers]', async () => {
      const etagBefore = (await daemon.list('capabilities')).headers.etag;
      const next = {
        tools: [announce, tool('fresh')],
        resources: [{ uri: 'book://new', name: 'new' }],
        prompts: [{ name: 'new' }],
      };
      changing.define({ tools: next.tools });
      await announced('tools');
      expect((await daemon.list('capabilities')).headers.etag).not.toBe(etagBefore);
      changing.define({ tools: next.tools, resources: next.resources });
      await announced('resources');
      changing.define(next);
      await announced('prompts');
      const own = async (name: ListName) => (await daemon.ids(name)).filter((id) => id.startsWith('s.'));
      expect(await Promise.all(lists.map(own))).toEqual([['s.announce', 's.fresh'], ['s.book://new'], ['s.new']]);
      expect((await daemon.search({ query: 'fresh' })).body.capabilities.map(({ id }) => id)).toEqual(['s.fresh']);
    });
  });
});
