// Webhook notifications about tickets: their events, form and signature, and that no caller waits for them.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { approvalsOf, callGated, contacts, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, type DaemonOptions, refusalOf, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { type Delivery, startReceiver } from './support/receiver.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually, freePort } from './support/wait.js';

function setUp(webhook: object, policy: object) {
  const upstream = scripted({ tools: [tool('echo'), tool('free')] });
  const config = { mcpServers: { s: upstream.server }, policy: { requireApproval: ['s.echo'], webhook, ...policy } };
  const connected = async <D extends Daemon>(daemon: D) => {
    await daemon.connected();
    return { upstream, daemon, approvals: approvalsOf(daemon) };
  };
  return { config, connected };
}

async function start(webhook: object, options: DaemonOptions = {}) {
  const { config, connected } = setUp(webhook, {});
  return connected(await startDaemon(config, options));
}

/** For those that are killed, and those with a clock of their own. */
async function startProcess(webhook: object, policy: object, options: DaemonProcessOptions) {
  const { config, connected } = setUp(webhook, policy);
  return connected(await startDaemonProcess(config, options));
}

const hex = (secret: string, { raw }: Delivery) => createHmac('sha256', secret).update(raw).digest('hex');

const only = <T>(items: readonly T[]): T => {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) throw new Error(`${items.length} items instead of one`);
  return item;
};

const ticketKeys = [
  'capability_id',
  'channel',
  'created_at',
  'expires_at',
  'id',
  'kind',
  'request_id',
  'rule',
  'sanitized_args',
  'server_id',
  'status',
  'view',
];

describe('a new ticket', () => {
  it('is sent to the webhook in a signed notification without its arguments [approval-webhook-created] [approval-webhook-body] [approval-webhook-signature] [approval-webhook-signature-headers] [approval-webhook-authorization] [approval-webhook-fields]', async () => {
    const receiver = await startReceiver();
    const { daemon, approvals } = await start({
      url: `${receiver.url}?team=a`,
      secret: 'signing key ✓',
      authHeader: 'Bearer of-the-receiver',
      headers: { 'X-Team': 'a', 'X-Signature-SHA256': 'forged', 'Content-Type': 'text/plain' },
    });
    const args = { n: 1, password: 'p', text: 'ünïcödé ✓ \u2028 </script>' };
    const earliest = Math.floor(Date.now() / 1000);
    const gated = await callGated(daemon, 's.echo', args, { request_id: 'hook' });
    const delivery = await eventually(() => only(receiver.deliveries));
    const ticket = await approvals.get(gated.body.error.approval_id);
    const { args: _, ...withoutArgs } = ticket;
    expect(delivery.notice).toEqual({
      event: 'approval.created',
      timestamp: expect.any(Number),
      trace_id: gated.body.trace_id,
      approval: withoutArgs,
      link: `${daemon.url}/ui/approvals?id=${ticket.id}`,
    });
    expect(Object.keys(delivery.notice.approval).sort()).toEqual(ticketKeys);
    expect(delivery.notice.approval.sanitized_args).toEqual({ n: 1, text: args.text });
    expect(Number.isInteger(delivery.notice.timestamp)).toBe(true);
    expect(delivery.notice.timestamp).toBeGreaterThanOrEqual(earliest);
    expect(delivery.notice.timestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const signature = hex('signing key ✓', delivery);
    expect([delivery.method, delivery.path]).toEqual(['POST', '/hook?team=a']);
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'x-signature-sha256': signature,
      'x-service-signature-256': `sha256=${signature}`,
      authorization: 'Bearer of-the-receiver',
      'x-team': 'a',
    });
    for (const secret of ['signing key', 'of-the-receiver']) expect(daemon.logText()).not.toContain(secret);
  });

  it('is signed with the secret of an environment variable too [approval-webhook-signature] [approval-webhook-fields]', async () => {
    const receiver = await startReceiver();
    const webhook = { url: receiver.url, secretEnv: 'HOOK_SECRET' };
    const { daemon } = await start(webhook, { env: { HOOK_SECRET: 'from env' } });
    await openTicket(daemon, 's.echo');
    const delivery = await eventually(() => only(receiver.deliveries));
    expect(delivery.headers['x-signature-sha256']).toBe(hex('from env', delivery));
    expect(delivery.headers['x-service-signature-256']).toBe(`sha256=${hex('from env', delivery)}`);
  });

  it('is sent without signature and authorization unless configured [approval-webhook-fields]', async () => {
    const receiver = await startReceiver();
    const { daemon } = await start({ url: receiver.url, secret: null, authHeader: null, headers: null });
    await openTicket(daemon, 's.echo');
    const { headers } = await eventually(() => only(receiver.deliveries));
    const names = ['x-signature-sha256', 'x-service-signature-256', 'authorization'];
    expect(names.map((name) => headers[name])).toEqual([undefined, undefined, undefined]);
  });

  it('is sent once: neither for calls that join it nor for calls that need no approval [approval-webhook-created]', async () => {
    const receiver = await startReceiver();
    const { daemon, approvals } = await start({ url: receiver.url });
    const joined = { headers: { 'idempotency-key': 'k' } };
    const id = await openTicket(daemon, 's.echo', {}, joined);
    expect(await openTicket(daemon, 's.echo', {}, joined)).toBe(id);
    expect((await daemon.call('s.free')).status).toBe(200);
    await approvals.reject(id);
    await eventually(() => expect(receiver.of('approval.rejected')).toHaveLength(1));
    await eventually(() => expect(receiver.of('approval.created')).toHaveLength(1));
    await daemon.stop(); // what is on its way arrives before that
    expect(receiver.deliveries).toHaveLength(2);
  });
});

describe('the end of a ticket is sent', () => {
  it('for approvals, with what the operator changed but not with its secrets [approval-webhook-body] [approval-webhook-signature]', async () => {
    const receiver = await startReceiver();
    const { daemon, approvals } = await start({ url: receiver.url, secret: 'k' });
    const gated = await callGated(daemon, 's.echo', { n: 1 });
    const id = gated.body.error.approval_id;
    await approvals.approve(id, { operator: 'ada', modified_args: { n: 2, token: 'PLANTED' } });
    const delivery = await eventually(() => only(receiver.of('approval.approved')));
    const { notice } = delivery;
    expect([Object.keys(notice).sort(), Object.keys(notice.approval).sort()]).toEqual([
      ['approval', 'event', 'link', 'timestamp', 'trace_id'],
      ticketKeys,
    ]);
    expect([notice.trace_id, notice.approval.id]).toEqual([gated.body.trace_id, id]);
    expect(notice.link).toBe(`${daemon.url}/ui/approvals?id=${id}`);
    expect(notice.approval.status).toEqual({
      status: 'approved',
      operator: 'ada',
      timestamp: expect.any(Number),
      modified_args: { n: 2 },
    });
    expect(delivery.raw.toString('utf8')).not.toContain('PLANTED');
    expect(delivery.headers['x-signature-sha256']).toBe(hex('k', delivery));
  });

  it('for rejections, those by a cancel among them [approval-webhook-body]', async () => {
    const receiver = await startReceiver();
    const { daemon, approvals } = await start({ url: receiver.url });
    await approvals.reject(await openTicket(daemon, 's.echo'), { operator: 'ada', reason: 'no' });
    await openTicket(daemon, 's.echo', {}, { request_id: 'r' });
    await daemon.post('/v1/operations/r/cancel', {});
    const reasons = await eventually(() => {
      const found = receiver.of('approval.rejected').map(({ notice }) => notice.approval.status.reason);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(reasons.sort()).toEqual(['cancelled', 'no']);
  });

  it('for tickets that expire, also while the daemon is down [approval-webhook-body] [approval-expiry]', async () => {
    const receiver = await startReceiver();
    const stateDir = tempFolder();
    const first = await startProcess({ url: receiver.url }, { approvalTimeoutSecs: 1 }, { stateDir });
    const seen = await openTicket(first.daemon, 's.echo');
    const expired = (id: string) => receiver.of('approval.expired').filter(({ notice }) => notice.approval.id === id);
    const { notice } = await eventually(() => only(expired(seen)));
    expect(notice.approval.status.status).toBe('expired');
    await first.daemon.post('/v1/config/policy', { approval_timeout_secs: 300 }); // it outlives its daemon
    const unseen = await openTicket(first.daemon, 's.echo');
    await first.daemon.stop('SIGKILL');
    await startProcess({ url: receiver.url }, {}, { stateDir, clockAheadMs: 300_000 });
    await eventually(() => only(expired(unseen)));
    expect(expired(seen)).toHaveLength(1);
  });
});

describe('a webhook that does not work', () => {
  it('is tried again after errors, with the same bytes [approval-webhook-created] [approval-webhook-signature]', async () => {
    const receiver = await startReceiver((count) => (count <= 2 ? 500 : 204));
    const { daemon } = await start({ url: receiver.url, secret: 'k' });
    await openTicket(daemon, 's.echo');
    await eventually(() => expect(receiver.deliveries).toHaveLength(3));
    const [first, ...others] = receiver.deliveries;
    for (const { raw, headers } of others) {
      expect(raw.equals(first!.raw)).toBe(true);
      expect(headers['x-signature-sha256']).toBe(hex('k', first!));
    }
    await eventually(() =>
      expect(daemon.log()).toContainEqual(expect.objectContaining({ message: 'a webhook was delivered', tries: 3 })),
    );
    expect(receiver.deliveries).toHaveLength(3);
  });

  it.each([
    ['answers 500', 500],
    ['never answers', null],
  ])('is given up after 5 tries, in the background: one that %s [approval-webhook-created]', async (_, status) => {
    const receiver = await startReceiver(() => status);
    // A try has 0.7 s then, enough for a request to arrive on a busy machine.
    const { daemon, approvals, upstream } = await startProcess({ url: receiver.url }, {}, { clockFactor: 14 });
    const id = await openTicket(daemon, 's.echo', { n: 1 });
    expect((await approvals.approve(id)).body.result?.ok).toBe(true);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
    const isGivenUp = ({ message, tries }: Readonly<Record<string, unknown>>) =>
      message === 'a webhook was given up' && tries === 5;
    await eventually(() => expect(daemon.log().filter(isGivenUp)).toHaveLength(2), 50_000);
    await eventually(() => expect(receiver.deliveries).toHaveLength(10));
    expect(daemon.logText()).not.toContain('/hook'); // the path of a webhook is often its secret
  });

  it.each(['refuses connections', 'never answers'])(
    'delays neither calls nor decisions nor the exit, for any latency: one that %s [approval-webhook-created]',
    async (how) => {
      const url =
        how === 'never answers' ? (await startReceiver(() => null)).url : `http://127.0.0.1:${await freePort()}/`;
      // One try alone is given 10 s on its clock: here longer than a test may take, which it would fail if it waited.
      const { daemon, approvals } = await startProcess({ url }, {}, { clockFactor: 0.25 });
      const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => openTicket(daemon, 's.echo', { n })));
      const answers = await Promise.all(ids.map((id) => approvals.approve(id)));
      expect(answers.map(({ body }) => body.result?.ok)).toEqual(Array(30).fill(true));
      expect((await daemon.stop()).code).toBe(0);
    },
  );

  it('gets no second address to send to: a redirect is not followed [approval-webhook-fields]', async () => {
    const receiver = await startReceiver(() => 307);
    const { daemon } = await start({ url: receiver.url, authHeader: 'Bearer x' });
    await openTicket(daemon, 's.echo');
    await eventually(() =>
      expect(daemon.log()).toContainEqual(expect.objectContaining({ message: 'a webhook was given up' })),
    );
    expect(receiver.deliveries.length).toBeGreaterThan(0);
  });
});

it.each([
  ['url', {}],
  ['url', { url: 7 }],
  ['url', { url: 'ftp://x.example/' }],
  ['url', { url: '/hook' }],
  ['secret', { secret: 7 }],
  ['secretEnv', { secretEnv: ['A'] }],
  ['secretEnv', { secretEnv: 'NOT_SET_ANYWHERE' }],
  ['authHeader', { authHeader: {} }],
  ['authHeader', { authHeader: 'a\r\nX-Evil: 1' }],
  ['headers', { headers: ['X-A: 1'] }],
  ['headers["X-A"]', { headers: { 'X-A': 1 } }],
  ['', { secret: 'a', secretEnv: 'PATH' }],
])(
  'a webhook that is wrong ends the start with 2 and the path policy.webhook.%s: %j [approval-webhook-fields]',
  async (path, wrong) => {
    const webhook = path === 'url' ? wrong : { url: 'http://127.0.0.1:9/', ...wrong };
    const { code, stderr } = await refusalOf({ mcpServers: {}, policy: { webhook } });
    expect(code).toBe(2);
    expect(stderr).not.toContain('X-Evil');
    expect(stderr).toContain(
      path === '' ? '\n  policy.webhook: ' : `policy.webhook.${path}`.replace('.headers["X-A"]', '.headers'),
    );
  },
);
