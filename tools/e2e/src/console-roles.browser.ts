// The console of a role without administration: it offers nothing that the role cannot do and sends no refused request.
import type { Browser } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openConsole, violationsOn } from './support/browser.js';
import { openBrowser } from './support/chromium.js';
import { consolePages } from './support/console-pages.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const roles = { user: { allow: ['files.*'] }, reader: { allow: ['files.null_call'] }, boss: { admin: true } };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokens = [
  { role: 'user', actorId: 'uma', token: 'token-of-the-user' },
  { role: 'reader', actorId: 'rea', token: 'token-of-the-reader' },
] as const;
/** Names of controls that change something that belongs to the daemon or to other users. */
const administration =
  /^(Accept|Add|Edit|Remove|Restart|Approve|Reject|Review|Attach|Detach|Move|Import|Save|Read the file|Undo|Export|Verify|Check|Answer|Logs|Empty|Revoke)/;

let daemon: Daemon;
let browser: Browser;

beforeAll(async () => {
  [daemon, browser] = await Promise.all([
    startDaemon({
      mcpServers: { files: fixture() },
      policy: { requireApproval: ['files.echo'] },
      rbac: { roles, tokens },
    }),
    openBrowser(),
  ]);
  await eventually(async () =>
    expect((await daemon.get('/v1/capabilities', bearer(tokens[0].token))).text).toContain('files.echo'),
  );
});

it.each(tokens)(
  'the role $role sees no page of administrators, no button of theirs, and is refused nothing',
  async ({ token, role }) => {
    const as = bearer(token);
    for (const id of ['files.null_call', 'files.echo'])
      await daemon.post('/v1/tools/call', { capability_id: id, args: id.endsWith('echo') ? { text: 'x' } : {} }, as);
    const page = await openConsole(browser, daemon, '/ui', { token });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 401 || response.status() === 403)
        refused.push(`${response.status()} ${response.url()}`);
    });
    const tools = '/ui/catalog?kind=tools&id=files.null_call';
    const more = [
      ['server', '/ui/servers/files', 'files'],
      ['tool', tools, 'files.null_call'],
    ] as const;
    for (const [name, path, title] of [...consolePages, ...more]) {
      await page.goto(`${daemon.url}${path}`);
      const menu = page.getByRole('navigation', { name: 'Pages' });
      await page.getByText(/limited role/).waitFor();
      const isOffered =
        name === 'server' || name === 'tool' || (await menu.getByRole('link', { name: title }).count()) > 0;
      await page
        .getByRole('heading', { level: 1, name: isOffered ? title : 'Not for this role', exact: true })
        .waitFor();
      await page.locator('main .spinner').first().waitFor({ state: 'detached' });
      const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
      const named = buttons.map((text) => text.replaceAll(/\s+/g, ' '));
      expect([name, named.filter((text) => administration.test(text))]).toEqual([
        name,
        name === 'batch' ? ['Remove step 1', 'Add a step'] : [],
      ]);
      expect([name, await page.getByText('Your role may not').count(), await page.getByRole('alert').count()]).toEqual([
        name,
        0,
        0,
      ]);
      if (role === 'user') expect([name, await violationsOn(page)]).toEqual([name, []]);
    }
    expect(refused).toEqual([]);
    expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(1); // what it may do is there
  },
);
