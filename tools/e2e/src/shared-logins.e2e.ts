// A login that two daemons share, by one database and one key: it is renewed once, though both need it at the same time.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { openInBrowser, startLoginServer } from './support/logins.js';
import { startPostgres } from './support/postgres.js';
import { noKeyring } from './support/secrets.js';
import { eventually } from './support/wait.js';

it('a login is used by all who have its key, and one of them renews it for the others', async () => {
  const [postgres, server] = await Promise.all([startPostgres(), startLoginServer()]);
  const storage = { url: postgres.url(await postgres.createDatabase()) };
  const config = { mcpServers: { git: { url: server.url } }, storage };
  const folders = [tempFolder(), tempFolder()].map((folder) => join(folder, 'state'));
  const [ofA = '', ofB = ''] = folders;
  const a = await startDaemonProcess(config, { stateDir: ofA, env: noKeyring });
  const link = await eventually(async () => {
    const { login_url } = await a.server('git');
    if (login_url === undefined) throw new Error('no login is awaited');
    return login_url;
  });
  await openInBrowser(link);
  await a.connected('git');

  mkdirSync(ofB, { recursive: true, mode: 0o700 });
  copyFileSync(join(ofA, 'oauth.key'), join(ofB, 'oauth.key'));
  const b = await startDaemonProcess(config, { stateDir: ofB, env: noKeyring });
  await b.connected('git');
  for (let round = 1; round <= 3; round += 1) {
    await server.control({ refuseOld: true });
    const calls = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? a : b).call('git.echo', { text: 'x' }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { tokenRequests, logins } = await server.control();
    const renewals = Array.from({ length: round }, () => 'refresh_token');
    expect([tokenRequests, logins.length]).toEqual([['authorization_code', ...renewals], 1]);
  }
});
