// Homes of users with the files of their AI clients, as the clients write them. For tests of this package only.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserEnvironment } from '../client.js';
import { createAiClients } from '../create-ai-clients.js';

export const homes = fileURLToPath(new URL('./homes/', import.meta.url));

export const serve = {
  command: '/usr/bin/node',
  args: ['/opt/@portico/cli/dist/main.js', 'mcp-stdio', '--config', '/c.json'],
};

/** Folders of tests, gone with `removeAll`. */
export function createHomes() {
  const folders: string[] = [];
  const tempFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-clients-'));
    folders.push(folder);
    return folder;
  };
  return {
    tempFolder,
    /** The AI clients of a copy of one of the homes; without a name, of an empty one. */
    async openHome(name?: 'linux' | 'macos', platform: UserEnvironment['platform'] = 'linux') {
      const home = await tempFolder();
      const state = await tempFolder();
      if (name !== undefined) await cp(join(homes, name), home, { recursive: true });
      const clients = createAiClients({
        user: { platform, home, env: {} },
        backupFolder: join(state, 'client-backups'),
        serve,
        epochMs: () => Date.parse('2026-11-21T12:00:00Z'),
        mask: (definition) => ({ masked: Object.keys(definition) }),
      });
      return { home, state, clients };
    },
    async removeAll(): Promise<void> {
      for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
    },
  };
}
