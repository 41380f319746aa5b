// Policy over resources and prompts: by every alias, through templates, and in every spelling of a URI.
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, brief, type GatedEnvelope } from './support/approvals.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type Scripted, scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

describe('a deny rule covers resources and prompts', () => {
  let daemon: Daemon;
  let upstream: Scripted;
  const read = (id: string) => daemon.post<Envelope>('/v1/resources/read', { resource_id: id });
  const prompt = (id: string) => daemon.post<Envelope>('/v1/prompts/get', { prompt_id: id });
  const reads = () => upstream.received('resources/read').map(({ params }) => params.uri);
  const gets = () => upstream.received('prompts/get').map(({ params }) => params.name);

  beforeAll(async () => {
    upstream = scripted({
      tools: [tool('echo')],
      resources: [
        { uri: 'book://vault/one', name: 'one' },
        { uri: 'book://open/two', name: 'two' },
        { uri: 'book://open/gated', name: 'gated' },
      ],
      resourceTemplates: [{ uriTemplate: 'file:///docs/{+path}', name: 'docs' }],
      prompts: [{ name: 'denied' }, { name: 'fine' }, { name: 'gated' }],
    });
    daemon = await startDaemon({
      mcpServers: { s: upstream.server },
      resourceAliases: { vault: 's.book://vault/one' },
      promptAliases: { hello: 's.denied' },
      policy: {
        deny: ['s.book://vault/*', 's.file:///docs/secret*', 'hello'],
        requireApproval: ['s.book://open/gated', 's.gated'],
      },
    });
    await daemon.connected();
  });

  it('by canonical id and alias, listed, read and got [policy-execution-time] [policy-allow-deny] [error-policy-denied]', async () => {
    expect(await daemon.ids('resources')).toEqual([
      's.book://open/gated',
      's.book://open/two',
      's.file:///docs/{+path}',
    ]);
    expect(await daemon.ids('prompts')).toEqual(['s.fine', 's.gated']);
    const [readBefore, gotBefore] = [reads().length, gets().length];
    const answers = await Promise.all([
      read('s.book://vault/one'),
      read('vault'),
      prompt('s.denied'),
      prompt('hello'),
      read('s.book://open/two'),
      prompt('s.fine'),
      read('s.book://open/gated'),
      prompt('s.gated'),
    ]);
    expect(answers.map(brief)).toEqual([
      ...Array(4).fill([403, 'POLICY_DENIED']),
      ...Array(2).fill([200, undefined]),
      ...Array(2).fill([403, 'APPROVAL_PENDING']),
    ]);
    expect(reads().slice(readBefore)).toEqual(['book://open/two']);
    expect(gets().slice(gotBefore)).toEqual(['fine']);
  });

  it.each([
    'file:///docs/secret',
    'file:///docs/secret/plan.txt',
    'file:///docs/%73ecret',
    'file:///docs/%73%65%63%72%65%74',
    'file:///docs/%2573ecret',
    'file:///docs/./secret',
    'file:///docs/open/../secret',
    'file:///docs/open/%2e%2e/secret',
    'file:///docs/open/%2E./secret',
    'file:///docs/open%2F..%2Fsecret',
    'file:///docs/../docs/secret',
    'file:///docs/secret?x=1',
    'file:///docs/secret#x',
    'file:///%64ocs/secret',
    'file:///docs/x/../../docs/secret',
    'FILE:///docs/secret',
    'file://localhost/docs/secret',
    'file:/docs/secret',
  ])('however a denied URI of a template is spelt: %s [policy-execution-time]', async (uri) => {
    const { status, body } = await read(`s.${uri}`);
    expect(['POLICY_DENIED', 'RESOURCE_NOT_FOUND']).toContain(body.error.code);
    if (uri.startsWith('file:///docs/')) expect(status).toBe(403);
    expect(reads()).not.toContain(uri);
  });

  it('and lets the other URIs of the template through as they are [policy-execution-time]', async () => {
    for (const uri of ['file:///docs/open', 'file:///docs/a%20b', 'file:///docs/secre', 'file:///docs/x/secret']) {
      expect([uri, (await read(`s.${uri}`)).status]).toEqual([uri, 200]);
      expect(reads().at(-1)).toBe(uri);
    }
  });

  it('and completion of what is denied, by any name, but not of what is gated [policy-execution-time]', async () => {
    const before = upstream.received('completion/complete').length;
    const complete = (ref_type: string, ref_name: string) =>
      daemon.post<Envelope>('/v1/completion/complete', { ref_type, ref_name, argument_name: 'a' });
    const refused = await Promise.all([complete('prompt', 's.denied'), complete('prompt', 'hello')]);
    expect(refused.map(brief)).toEqual([
      [403, 'POLICY_DENIED'],
      [403, 'POLICY_DENIED'],
    ]);
    expect(brief(await complete('resource', 'vault'))).toEqual([403, 'POLICY_DENIED']);
    expect(upstream.received('completion/complete')).toHaveLength(before);
    expect((await complete('prompt', 's.gated')).status).toBe(200);
  });
});

describe('through a template, every spelling of a URI', () => {
  const templates = [
    { uriTemplate: 'file:///docs/{+path}', name: 'docs' },
    { uriTemplate: 'item://{id}', name: 'item' },
    { uriTemplate: 'find://books{?q}', name: 'find' },
  ];

  async function start(policy: object) {
    const upstream = scripted({ resourceTemplates: templates });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy });
    await daemon.connected();
    const read = (uri: string) => daemon.post<GatedEnvelope>('/v1/resources/read', { resource_id: `s.${uri}` });
    const reads = () => upstream.received('resources/read').map(({ params }) => params.uri);
    return { daemon, read, reads };
  }

  it.each([
    'file:///docs/open/../secret',
    'file:///docs/open%2F..%2Fsecret',
    'file:///docs/open/%2e%2e/secret',
    'file:///docs/open/%252e%252e/secret',
    'file:///docs/open/..%2Fsecret',
    'file:///docs/open/../../etc/passwd',
    'file:///docs/open/./../secret',
  ])('is under the allow list: %s is not allowed by what it pretends to be [policy-allow-deny]', async (uri) => {
    const { read, reads } = await start({ allow: ['s.file:///docs/open*'] });
    expect(brief(await read(uri))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await read('file:///docs/open/x')).status).toBe(200);
    expect(reads()).toEqual(['file:///docs/open/x']);
  });

  it.each([
    'file:///docs/gated',
    'file:///docs/%67ated',
    'file:///docs/x/../gated',
    'file:///docs/x%2f..%2fgated',
    'item://gated',
    'item://%67ated',
    'item://%2567ated',
    'find://books?q=gated',
    'find://books?q=%67ated',
  ])(
    'is gated, and what is approved is what was asked for: %s [approval-gate-no-contact] [policy-execution-time]',
    async (uri) => {
      const requireApproval = ['s.file:///docs/gated', 's.item://gated', 's.find://books?q=gated'];
      const { daemon, read, reads } = await start({ requireApproval });
      const gated = await read(uri);
      expect(brief(gated)).toEqual([403, 'APPROVAL_PENDING']);
      expect(reads()).toEqual([]);
      const { approval_id } = gated.body.error;
      expect((await approvalsOf(daemon).get(approval_id)).capability_id).toBe(`s.${uri}`);
      expect((await approvalsOf(daemon).approve(approval_id)).body.result?.ok).toBe(true);
      expect(reads()).toEqual([uri]);
    },
  );

  it.each(['item://vault%2Fone', 'item://vault%252Fone', 'item://%76ault%2fone', 'ITEM://vault%2Fone'])(
    'is denied where decoding makes it what the rule names: %s [policy-allow-deny]',
    async (uri) => {
      const { read, reads } = await start({ deny: ['s.item://vault/*'] });
      const { status } = await read(uri);
      expect(uri.startsWith('item:') ? status === 403 : status === 403 || status === 404).toBe(true);
      expect(reads()).toEqual([]);
    },
  );
});

describe('modified arguments of an approved prompt or resource', () => {
  it('are checked as those of the call itself [approval-modified-args] [approval-approve-request]', async () => {
    const upstream = scripted({
      resources: [{ uri: 'book://one', name: 'one' }],
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
    });
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy: { requireApproval: ['*'] } });
    await daemon.connected();
    const approvals = approvalsOf(daemon);
    const prompt = { prompt_id: 's.greet', arguments: { who: 'Ada' } };
    const prompted = (await daemon.post<GatedEnvelope>('/v1/prompts/get', prompt)).body.error.approval_id;
    const read = { resource_id: 's.book://one' };
    const asked = (await daemon.post<GatedEnvelope>('/v1/resources/read', read)).body.error.approval_id;
    const operator = 'ada';
    expect(brief(await approvals.approve(prompted, { operator, modified_args: {} }))).toEqual([400, 'INVALID_ARGS']);
    expect(brief(await approvals.approve(asked, { operator, modified_args: { uri: 'book://two' } }))).toEqual([
      400,
      'INVALID_ARGS',
    ]);
    expect((await approvals.approve(asked, { operator })).status).toBe(200);
    expect((await approvals.approve(prompted, { operator, modified_args: { who: 'Eve' } })).status).toBe(200);
    expect(upstream.received('resources/read').map(({ params }) => params.uri)).toEqual(['book://one']);
    expect(upstream.received('prompts/get').map(({ params }) => params.arguments)).toEqual([{ who: 'Eve' }]);
  });
});
