// Where a child process runs and which file it has variables from, as a server that was imported from an AI client has it.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { ServerInfo } from './support/wire.js';

it('a server runs in its directory, with the variables of its file and of its env, also when it was imported', async () => {
  const folder = realpathSync(tempFolder());
  const envFile = join(folder, '.env');
  writeFileSync(envFile, '# Of the project.\nCOLOUR=red\nSHAPE="round one"\n');
  const home = tempFolder();
  mkdirSync(join(home, '.cursor'));
  const imported = { ...fixture(), cwd: folder, envFile, env: { COLOUR: 'blue' } };
  writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { placed: imported } }));
  const daemon = await startDaemon({ mcpServers: {} }, { env: { HOME: home } });
  expect((await daemon.post('/v1/config/import', {})).body).toMatchObject({ imported: ['placed'] });
  await daemon.connected('placed');
  const { cwd, env } = (await daemon.call('placed.whoami')).body.data.structuredContent;
  expect([cwd, env.COLOUR, env.SHAPE]).toEqual([folder, 'blue', 'round one']);
});

it('a directory or a file that is not there is named, and keeps only that server from starting', async () => {
  const missing = join(tempFolder(), 'missing');
  const mcpServers = {
    nowhere: { ...fixture(), cwd: missing },
    unread: { ...fixture(), envFile: missing },
    plain: fixture(),
  };
  const daemon = await startDaemon({ mcpServers });
  await daemon.connected('plain');
  await eventually(async () => {
    const { servers } = (await daemon.get<{ servers: ServerInfo[] }>('/v1/servers')).body;
    expect(servers.map(({ last_error }) => last_error)).toEqual([
      expect.stringContaining(`cwd: ${missing} is not a directory`),
      expect.stringContaining('envFile: cannot be read: ENOENT'),
      undefined,
    ]);
  });
});
