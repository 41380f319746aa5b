// Notices of tickets by ntfy, Slack and Telegram: what each service gets, in which order, what happens when it fails, and
// that no secret of a receiver is shown anywhere.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approvalsOf, callGated, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { refusalOf, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { type NoticeService, startNoticeService } from './support/notice-services.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const env = { TOPIC: 'hush-topic', NTFY: 'tk_hush', BOT: '12345:hush-bot' };
const secrets = /hush/;

const receivers = {
  ntfy: ({ url }: NoticeService) => ({ name: 'phone', format: 'ntfy', url, topicEnv: 'TOPIC', tokenEnv: 'NTFY' }),
  slack: () => ({ name: 'team', format: 'slack', urlEnv: 'SLACK' }),
  telegram: ({ url }: NoticeService) => ({ name: 'me', format: 'telegram', url, tokenEnv: 'BOT', chatId: '42' }),
};
type Format = keyof typeof receivers;
const formats: readonly Format[] = ['ntfy', 'slack', 'telegram'];

const environmentOf = ({ url }: NoticeService) => ({ ...env, SLACK: `${url}/services/T0/B0/hush-slack` });

function setUp(service: NoticeService, format: Format, more: object = {}, approvals: object = {}) {
  const upstream = scripted({ tools: [tool('echo'), tool('free')] });
  const config = {
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['s.*'] },
    approvals: { notices: [{ ...receivers[format](service), ...more }], ...approvals },
  };
  return { config, options: { env: environmentOf(service) } };
}

async function start(service: NoticeService, format: Format, more: object = {}, approvals: object = {}) {
  const { config, options } = setUp(service, format, more, approvals);
  const daemon = await startDaemon(config, options);
  await daemon.connected();
  return { daemon, approvals: approvalsOf(daemon) };
}

const titles = {
  ntfy: ({ title }: Readonly<Record<string, unknown>>) => title,
  slack: ({ text }: Readonly<Record<string, unknown>>) => text,
  telegram: ({ text }: Readonly<Record<string, unknown>>) => String(text).split('\n').slice(0, 2).join(': '),
};

describe.each(formats)('%s', (format) => {
  it('gets a ticket with its link, then who decided, in order', async () => {
    const service = await startNoticeService();
    const { daemon, approvals } = await start(service, format);
    const id = await openTicket(daemon, 's.echo', { path: '/etc/passwd', password: 'p' });
    await approvals.reject(id, { operator: 'ann', reason: 'no' });
    await eventually(() => expect(service.sent).toHaveLength(2));
    const [asked, rejected] = service.sent.map(({ body }) => body);
    expect(titles[format](asked ?? {})).toBe('A call waits for approval: s.echo');
    expect(titles[format](rejected ?? {})).toBe('Rejected: s.echo');
    const text = JSON.stringify(asked);
    expect(text).toContain(`${daemon.url}/ui/approvals?id=${id}`);
    expect(text).toContain('/etc/passwd');
    expect(text).toContain('password: [REDACTED]');
    expect(JSON.stringify(rejected)).toContain('ann');
  });

  it('is addressed with its secrets, which nothing shows', async () => {
    const service = await startNoticeService();
    const { daemon } = await start(service, format);
    await openTicket(daemon, 's.echo');
    await eventually(() => expect(daemon.logText()).toContain('a notice was delivered'));
    const [first] = service.sent;
    const at = { ntfy: '/', slack: '/services/T0/B0/hush-slack', telegram: '/bot12345:hush-bot/sendMessage' };
    expect(first?.path).toBe(at[format]);
    expect(first?.headers.authorization).toBe(format === 'ntfy' ? 'Bearer tk_hush' : undefined);
    const seen = await Promise.all(
      ['/v1/notices', '/v1/config', '/metrics', '/v1/audit/events'].map(async (path) => (await daemon.get(path)).text),
    );
    expect(seen[0]).toContain(`"origin":"${service.url}","delivered":1,"failed":0,"last_error":null`);
    for (const text of [...seen, daemon.logText()]) expect(text).not.toMatch(secrets);
  });

  it('is tried again after 500 and 429, by its Retry-After', async () => {
    const service = await startNoticeService((count) =>
      count === 1 ? { status: 500 } : count === 2 ? { status: 429, headers: { 'Retry-After': '1' } } : { status: 200 },
    );
    const { config, options } = setUp(service, format);
    const daemon = await startDaemonProcess(config, { ...options, clockFactor: 2 });
    await daemon.connected();
    const id = await openTicket(daemon, 's.echo');
    await approvalsOf(daemon).approve(id);
    const delivered = () => daemon.log().filter(({ message }) => message === 'a notice was delivered');
    await eventually(() => expect(delivered().map(({ tries }) => tries)).toEqual([3, 1]));
    expect(service.sent.map(({ body }) => titles[format](body))).toEqual([
      ...Array(3).fill('A call waits for approval: s.echo'),
      'Approved: s.echo',
    ]);
  });

  it.each([
    // On a faster clock the time for an answer is shorter too: a busy machine would have the service try again.
    ['refuses it', { status: 403, text: '{"description":"Unauthorized"}' }, 1, 'answered with status 403', 1],
    ['never answers', null, 5, 'no answer within 10000 ms', 20],
  ] as const)(
    'that %s delays no call, and is shown by doctor and the metrics',
    async (_, answer, tries, reason, clockFactor) => {
      const service = await startNoticeService(() => answer);
      const { config, options } = setUp(service, format);
      const daemon = await startDaemonProcess(config, { ...options, clockFactor });
      await daemon.connected();
      const id = await openTicket(daemon, 's.echo');
      expect((await approvalsOf(daemon).approve(id)).body.result?.ok).toBe(true);
      const failed = () => daemon.log().filter(({ message }) => message === 'a notice was given up');
      await eventually(() => expect(failed()).toHaveLength(2), 50_000);
      expect(failed()[0]).toMatchObject({ receiver: receivers[format](service).name, tries, reason });
      expect((await daemon.get('/metrics')).text).toMatch(
        /^portico_notices_total\{receiver="\w+",result="failed"\} 2$/m,
      );
      const { stdout } = await portico(['doctor', '--offline', '--url', daemon.url]);
      expect(stdout).toContain(`did not take the last notice: ${reason} (2 given up since the start)`);
      expect(daemon.logText() + stdout).not.toMatch(secrets);
    },
  );

  it('says what it answered to a test message', async () => {
    const service = await startNoticeService((count) =>
      count === 1
        ? { status: 200, text: '{"id":"x1"}' }
        : { status: 401, text: '{"description":"Unauthorized hush-bot"}' },
    );
    const { daemon } = await start(service, format);
    const test = () => portico(['notices', 'test', receivers[format](service).name, '--url', daemon.url]);
    const good = await test();
    expect([good.code, good.stdout]).toEqual([0, expect.stringMatching(/delivered +200 +\{"id":"x1"\}/)]);
    const bad = await test();
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringMatching(/failed +401 +\{"description":"Unauthorized/)]);
  });
});

it('one receiver does not wait for another, and gets its events, its tickets and no arguments as configured', async () => {
  const [silent, service] = [await startNoticeService(() => null), await startNoticeService()];
  const own = { events: ['approval.created'], match: ['s.echo'], arguments: false };
  const other = { ...receivers.telegram(silent), name: 'silent' };
  const { daemon, approvals } = await start(
    service,
    'ntfy',
    {},
    {
      publicUrl: 'https://portico.example:8443',
      notices: [other, { ...receivers.ntfy(service), ...own }],
    },
  );
  const free = await openTicket(daemon, 's.free');
  const id = await openTicket(daemon, 's.echo', { path: '/etc/passwd' });
  await Promise.all([free, id].map((ticket) => approvals.approve(ticket)));
  await eventually(() => expect(service.sent).toHaveLength(1));
  const [{ body } = { body: {} }] = service.sent;
  expect(body).toMatchObject({ click: `https://portico.example:8443/ui/approvals?id=${id}` });
  expect(JSON.stringify(body)).not.toContain('passwd');
  await eventually(() => expect(silent.sent.length).toBeGreaterThan(0));
});

it('a receiver that is added while the daemon runs gets the next ticket', async () => {
  const service = await startNoticeService();
  const { config, options } = setUp(service, 'ntfy', {}, { notices: [] });
  const configFile = join(tempFolder(), 'mcp_servers.json');
  const daemon = await startDaemon(config, { ...options, configFile });
  await daemon.connected();
  writeFileSync(configFile, JSON.stringify({ ...config, approvals: { notices: [receivers.ntfy(service)] } }));
  expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
  await openTicket(daemon, 's.echo');
  await eventually(() => expect(service.sent).toHaveLength(1));
});

it('the caller of a gated call gets the link to its ticket', async () => {
  const service = await startNoticeService();
  const { daemon } = await start(service, 'ntfy');
  const { body } = await callGated(daemon, 's.echo');
  const { approval_id: id, hint } = body.error as { readonly approval_id: string; readonly hint?: string };
  expect(hint).toBe(`a person decides at ${daemon.url}/ui/approvals?id=${id}`);
});

it('an unknown receiver, and a variable that is not set, are named', async () => {
  const service = await startNoticeService();
  const { daemon } = await start(service, 'ntfy');
  const { code, stderr } = await portico(['notices', 'test', 'fone', '--url', daemon.url]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('no receiver of notices "fone"; approvals.notices has "phone"'),
  ]);
  const refused = await refusalOf({
    mcpServers: {},
    approvals: { notices: [{ ...receivers.slack(), urlEnv: 'NOT_SET' }] },
  });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('approvals.notices[0].urlEnv: environment variable NOT_SET is not set'),
  ]);
});
