// Servers that are moved out of the files of every known client, and put back: to the byte, or around other edits.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AiClientError, type ConfiguredServers } from '@portico/control-plane';
import { afterEach, describe, expect, it } from 'vitest';
import { createHomes } from '../testing/homes.js';

const { openHome, removeAll } = createHomes();
afterEach(removeAll);

/** Servers that can be moved of the home on Linux, how each client leaves them out, and what an edit of the file is. */
const cases: readonly (readonly [
  client: string,
  movable: readonly string[],
  by: string,
  edit: readonly [string, string],
])[] = [
  ['claude-desktop', ['filesystem', 'brave search'], 'removed', ['Ctrl+Space', 'Ctrl+K']],
  ['claude-code', ['github', 'airtable'], 'removed', ['42', '43']],
  ['cursor', ['filesystem', 'linear'], 'removed', ['for every project', 'of mine']],
  ['windsurf', ['figma'], 'disabled: true', ['mcp-server-git', 'mcp-server-hg']],
  ['vscode', ['playwright'], 'removed', ['the newest one', 'new']],
  ['zed', ['postgres', 'docs'], 'enabled: false', ['"buffer_font_size": 14', '"buffer_font_size": 15']],
  ['codex', ['context7', 'figma'], 'enabled: false', ['# Codex', '# My Codex']],
  ['gemini-cli', ['discovery'], 'removed', ['GitHub', 'Dracula']],
  ['opencode', ['my-local-mcp-server'], 'enabled: false', ['jira.example.com', 'jira2.example.com']],
];

async function openAttached(client: string) {
  const { clients, state } = await openHome('linux');
  const path = (await clients.list()).find(({ id }) => id === client)?.path ?? '';
  const original = await readFile(path, 'utf8');
  await clients.attach(client);
  const attached = await readFile(path, 'utf8');
  const read = () => readFile(path, 'utf8');
  const edit = async (from: string, to: string) => {
    const text = await read();
    expect(text).toContain(from);
    await writeFile(path, text.replace(from, to));
  };
  const move = async (names: readonly string[] | null = null, configured: ConfiguredServers = {}) => {
    const plan = await clients.planMove(client, names, configured);
    const change = await clients.switchOff(client, plan.servers);
    return { plan, change };
  };
  const direct = async (configured: ConfiguredServers = {}) =>
    (await clients.list(configured)).find(({ id }) => id === client)?.direct_servers ?? [];
  return { clients, state, path, original, attached, read, edit, move, direct };
}

describe.each(cases)('the servers of %s', (client, movable, by, [from, to]) => {
  it('are left out, all that can be moved, and nothing else of the file changes', async () => {
    const { move, direct, attached, read } = await openAttached(client);
    const { plan } = await move();
    expect(plan.servers.map(({ name }) => name)).toEqual(expect.arrayContaining([...movable]));
    expect(plan.servers.map(({ switched_off_by }) => switched_off_by)).toEqual(plan.servers.map(() => by));
    expect((await direct()).filter(({ problem }) => problem === null)).toEqual([]);
    const before = attached.split('\n');
    const added = (await read()).split('\n').filter((line) => !before.includes(line));
    expect(added.filter((line) => !/portico|enabled|disabled|^\s*[\]}"]/.test(line))).toEqual([]);
  });

  it('are put back to the byte by undo and by detaching, also after an undone detaching', async () => {
    const { clients, move, read, attached, original } = await openAttached(client);
    await move(movable.slice(0, 1));
    await move();
    const moved = await read();
    await clients.detach(client);
    expect(await read()).toBe(original);
    await clients.undo(client);
    expect(await read()).toBe(moved);
    await clients.detach(client);
    expect(await read()).toBe(original);
    await clients.attach(client);
    await move();
    await clients.undo(client);
    expect(await read()).toBe(attached);
  });

  it('are put back around what was edited since', async () => {
    const { clients, edit, move, read, attached, original } = await openAttached(client);
    const formatOf = async (text: string) => {
      const { clientKinds } = await import('../clients.js');
      return clientKinds.find(({ id }) => id === client)?.format.parse(text);
    };
    await move();
    await edit(from, to);
    await clients.undo(client);
    expect(await formatOf(await read())).toEqual(await formatOf(attached.replace(from, to)));
    expect(await read()).toContain(to);
    await move();
    await edit(to, from);
    await clients.detach(client);
    expect(await formatOf(await read())).toEqual(await formatOf(original));
  });
});

describe('moving', () => {
  it('keeps what was taken out for the owner alone', async () => {
    const { move } = await openAttached('cursor');
    const { change } = await move();
    const file = join(dirname(change.backupPath ?? ''), 'moves.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8')).moves[0].entries[0]).toMatchObject({
      name: 'filesystem',
      how: 'removed',
    });
  });

  it.each<[string, string, string, string | null]>([
    ['of another configuration', '"/c.json"', '"/other.json"', 'is attached to another Portico, with another --config'],
    [
      'of another state',
      '"/c.json"',
      '"/c.json", "--state-dir=/s"',
      'is attached to another Portico, with another --state-dir',
    ],
    ['that is off', '"portico": {', '"portico": { "disabled": true,', 'has its entry "portico" turned off'],
    ['under another name', '"portico"', '"other"', 'is not attached to Portico'],
    ['with fields of its own', '"portico": {', '"portico": { "alwaysAllow": [],', null],
    ['in another spelling', '"--config",', '"--log", "x", "--config",', null],
  ])('takes an entry %s for what it is', async (_, from, to, why) => {
    const { clients, edit } = await openAttached('windsurf');
    await edit(from, to);
    expect((await clients.planMove('windsurf', null, {})).notAttached).toBe(why);
    await clients.attach('windsurf');
    expect((await clients.planMove('windsurf', null, {})).notAttached).toBeNull();
  });

  it('never takes Portico itself, and says why others stay', async () => {
    const { clients } = await openAttached('cursor');
    expect((await clients.planMove('cursor', ['portico', 'workspace'], {})).left).toEqual([
      { name: 'workspace', reason: 'args: refers to what only that client fills in' },
      { name: 'portico', reason: 'is Portico itself' },
    ]);
    await expect(clients.planMove('cursor', ['nothing'], {})).rejects.toThrow(
      'there is no server "nothing"; its own are filesystem, linear, workspace',
    );
  });

  it('takes the server that Portico has under another name as that one, and no other one in its place', async () => {
    const { clients, direct } = await openAttached('cursor');
    const args = ['-y', '@modelcontextprotocol/server-filesystem', '/home/ann/Desktop'];
    const same = { files: { command: 'npx', args } };
    expect((await clients.planMove('cursor', ['filesystem'], same)).servers).toMatchObject([
      { name: 'filesystem', server_id: 'files', is_new: false },
    ]);
    expect((await direct(same)).map(({ name, behind_as }) => [name, behind_as])).toEqual([
      ['filesystem', 'files'],
      ['linear', null],
      ['workspace', null],
    ]);
    const other = { filesystem: { command: 'npx', args: ['-y', 'another'] } };
    expect((await clients.planMove('cursor', ['filesystem'], other)).left).toEqual([
      {
        name: 'filesystem',
        reason:
          'Portico has another server "filesystem", whose command, address, folder, env, headers or credentials differ; rename one of the two, then move it',
      },
    ]);
  });

  it('says which fields Portico has no equivalent of and which hold plain secrets, and for which folder one was', async () => {
    const { clients, edit } = await openAttached('claude-code');
    await edit(
      '"args": ["-y", "airtable-mcp-server"],',
      '"args": ["-y", "airtable-mcp-server"], "timeout": 5, "oauth": {},',
    );
    await edit('"--dsn", "${SHOP_DSN}"', '"--dsn", "none"');
    const { servers } = await clients.planMove('claude-code', ['airtable', 'shop-db'], {});
    expect(servers).toMatchObject([
      { name: 'airtable', lost_fields: ['timeout'], plain_secrets: ['env.AIRTABLE_API_KEY'], scope: null },
      { name: 'shop-db', lost_fields: [], scope: '/home/ann/shop' },
    ]);
  });

  it.each([
    ['codex', 'context7', '[mcp_servers.context7]\n', 'enabled_tools = ["read"]\n', 'enabled_tools'],
    ['codex', 'context7', '[mcp_servers.context7]\n', 'enabled_tools = []\n', 'enabled_tools'],
    ['windsurf', 'figma', '"figma": {', '"disabledTools": ["write"],', 'disabledTools'],
    ['gemini-cli', 'discovery', '"discovery": {', '"excludeTools": ["write"],', 'excludeTools'],
  ])(
    'leaves a server of %s, %s, that agents would get more tools of, unless it is named',
    async (id, name, at, text, field) => {
      const { clients, edit } = await openAttached(id);
      await edit(at, at + text);
      const { servers, left } = await clients.planMove(id, null, {});
      expect(servers.map((server) => server.name)).not.toContain(name);
      expect(left).toContainEqual({ name, reason: expect.stringContaining(`restricts its tools by ${field}, which`) });
      const [named] = (await clients.planMove(id, [name], {})).servers;
      expect(named?.lost_fields).toContain(field);
    },
  );

  it('leaves an entry alone that another program has changed since the plan, or put in the place of one', async () => {
    const { clients, edit, move, read } = await openAttached('cursor');
    const plan = await clients.planMove('cursor', ['linear'], {});
    await edit('mcp.linear.app', 'mcp.linear2.app');
    await expect(clients.switchOff('cursor', plan.servers)).rejects.toThrow(AiClientError);
    await move(['linear']);
    await edit('"portico": {', '"linear": { "command": "mine" }, "portico": {');
    await clients.undo('cursor');
    expect(await read()).toContain('"linear": { "command": "mine" }');
    expect(await read()).not.toContain('linear2');
  });

  it.each(['undo', 'detach'] as const)('is taken back by %s where the flag was written again since', async (action) => {
    const { clients, edit, move, read, direct } = await openAttached('codex');
    await move(['context7']);
    await edit('enabled = false\n', 'enabled = false  # moved\n');
    await clients[action]('codex');
    expect(await read()).toContain('[mcp_servers.context7]\n# moved\ncommand');
    expect((await direct()).map(({ name }) => name)).toContain('context7');
  });

  it.each(['undo', 'detach'] as const)(
    'refuses to %s, and remembers, where the server would stay off',
    async (action) => {
      const { clients, edit, move, read } = await openAttached('codex');
      await move(['figma']);
      await edit('[mcp_servers.figma]', '[mcp_servers."fig\\u006da"]'); // not found by its name
      const before = await read();
      await expect(clients[action]('codex')).rejects.toThrow('its entry "figma" cannot be changed');
      expect(await read()).toBe(before);
      expect((await clients.preview('codex', 'detach')).restores).toEqual(['figma']);
    },
  );

  it('that was recorded and not written is forgotten by undo, which changes nothing', async () => {
    const { clients, attached, move, path, read } = await openAttached('cursor');
    await move();
    await writeFile(path, attached); // as it is where the process ended in between
    expect(await clients.undo('cursor')).toMatchObject({ changed: false, backupPath: null });
    expect(await clients.undo('cursor')).toMatchObject({ changed: false });
    expect([await read(), (await clients.preview('cursor', 'detach')).restores]).toEqual([attached, []]);
  });

  it('is refused, and nothing is written, where the record of earlier moves cannot be read', async () => {
    const { move, path, read } = await openAttached('codex');
    const { change } = await move(['figma']);
    await writeFile(join(dirname(change.backupPath ?? ''), 'moves.json'), '{');
    const before = await read();
    await expect(move(['context7'])).rejects.toThrow(/cannot be read/);
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});
