// Records name how the actor was identified, so that one name by two proofs never counts as one person; and the two
// share no limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { askAsForeign, noForeignUser } from './support/foreign-user.js';
import { startIssuer } from './support/issuer.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

type Headers = Readonly<Record<string, string>>;
interface Event {
  readonly actor_id?: string;
  readonly actor_kind?: string;
  readonly role?: string;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

const eventsOf = async (daemon: Daemon, type: string, headers: Headers = {}): Promise<readonly Event[]> =>
  (await daemon.get<{ readonly events: readonly Event[] }>(`/v1/audit/events?event_type=${type}`, headers)).body.events;

const kindsOf = (events: readonly Event[]) => events.map(({ actor_id, actor_kind }) => [actor_id, actor_kind]);

describe('"ann" by a static token and "ann" by a JSON Web Token', () => {
  const upstream = scripted({ tools: [tool('pay'), tool('free')] });
  const boss = bearer('boss-token');
  const fixed = bearer('ann-token');
  let claimed: Headers;
  let daemon: Daemon;

  const call = (id: string, args: object, headers: Headers) =>
    daemon.post<{ readonly ok: boolean }>('/v1/tools/call', { capability_id: id, args }, headers);

  beforeAll(async () => {
    const issuer = await startIssuer();
    daemon = await startDaemon({
      mcpServers: { s: upstream.server },
      policy: { requireApproval: ['s.pay'] },
      rbac: {
        defaultRole: 'plain',
        roles: { plain: {}, boss: { admin: true } },
        tokens: [
          { role: 'plain', actorId: 'ann', token: 'ann-token' },
          { role: 'boss', actorId: 'eve', token: 'boss-token' },
        ],
        jwt: issuer.rules,
      },
    });
    await daemon.connected();
    claimed = bearer(issuer.token({ sub: 'ann', role: 'plain' }));
  });

  it('are distinct in the records of their calls, and a name in a header changes nothing', async () => {
    await call('s.free', {}, fixed);
    await call('s.free', {}, claimed);
    await call('s.free', {}, { 'x-actor-id': 'ann' });
    expect(kindsOf(await eventsOf(daemon, 'tool_call', boss))).toEqual([
      ['anonymous', 'anonymous'],
      ['ann', 'jwt'],
      ['ann', 'token'],
    ]);
  });

  it('are distinct in refusals', async () => {
    for (const headers of [fixed, claimed]) expect((await daemon.get('/v1/config', headers)).status).toBe(403);
    expect(kindsOf(await eventsOf(daemon, 'auth_failure', boss)).slice(0, 2)).toEqual([
      ['ann', 'jwt'],
      ['ann', 'token'],
    ]);
  });

  it('have keys of their own: neither replays the call of the other', async () => {
    const ran = upstream.received('tools/call').length;
    for (const headers of [fixed, claimed]) {
      const { status, headers: answered } = await call('s.free', {}, { ...headers, 'idempotency-key': 'one' });
      expect([status, answered['idempotency-replayed']]).toEqual([200, undefined]);
    }
    expect(upstream.received('tools/call')).toHaveLength(ran + 2);
  });

  it('have tickets of their own, and the records of a ticket and its run name the kind', async () => {
    const { status, headers } = await call('s.pay', {}, claimed);
    const id = headers.location?.split('/').at(-1) ?? '';
    expect([status, (await daemon.get(`/v1/approvals/${id}`, fixed)).status]).toEqual([202, 404]);
    expect((await daemon.get(`/v1/approvals/${id}`, claimed)).status).toBe(200);
    expect((await daemon.post(`/v1/approvals/${id}/approve`, { operator: 'eve' }, boss)).status).toBe(200);
    for (const type of ['approval_created', 'approval_approved', 'tool_call'])
      expect([type, ...kindsOf(await eventsOf(daemon, type, boss)).slice(0, 1)]).toEqual([type, ['ann', 'jwt']]);
  });
});

describe('without roles', () => {
  const upstream = scripted({ tools: [tool('free')] });
  const free = { path: '/v1/tools/call', method: 'POST', body: { capability_id: 's.free', args: {} } };

  it('the operator token, a session of the console, this user and another are distinct', async () => {
    const folder = tempFolder();
    const stateDir = join(folder, 'state');
    const filePath = join(folder, 'audit.jsonl');
    const daemon = await startDaemon(
      {
        mcpServers: { s: upstream.server },
        access: { operatorToken: true, otherUsers: 'calls' },
        audit: { filePath },
      },
      { stateDir },
    );
    await daemon.connected();
    const operator = bearer(readFileSync(join(stateDir, 'operator-token'), 'utf8').trim());
    const { code } = (await daemon.post<{ readonly code: string }>('/v1/console/codes', {}, operator)).body;
    const { token } = (await daemon.post<{ readonly token: string }>('/v1/console/sessions', { code })).body;
    for (const headers of [operator, bearer(token), {}, { 'x-actor-id': 'ann' }])
      expect((await daemon.post(free.path, free.body, headers)).status).toBe(200);
    if (noForeignUser === undefined) expect((await askAsForeign(daemon.url, [free]))[0]?.status).toBe(200);
    const kinds = kindsOf(await eventsOf(daemon, 'tool_call', operator));
    expect(kinds.slice(-4)).toEqual([
      ['ann', 'local'],
      [undefined, 'local'],
      [undefined, 'operator'],
      [undefined, 'operator'],
    ]);
    if (noForeignUser === undefined) expect(kinds[0]).toEqual(['uid-65534', 'other_user']);
    await daemon.stop();
    const listed = await portico(['audit', 'verify', filePath]);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
  });

  it('the authToken is named, and what the service does by itself has no kind', async () => {
    const daemon = await startDaemon({
      mcpServers: { s: upstream.server },
      authToken: 'shared',
      access: { requireTokenOnLoopback: true },
    });
    await eventually(async () => expect((await daemon.post(free.path, free.body, bearer('shared'))).status).toBe(200));
    const [event] = kindsOf(await eventsOf(daemon, 'tool_call', bearer('shared')));
    expect(event).toEqual([undefined, 'auth_token']);
    expect(kindsOf(await eventsOf(daemon, 'service_start', bearer('shared')))).toEqual([[undefined, undefined]]);
  });
});
