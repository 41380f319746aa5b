// After a configuration was written: attaches the AI clients that the user chooses to it.
import { resolve } from 'node:path';
import { AiClientError, type AiClients } from '@portico/host';
import { toPlainText } from '../output/plain-text.js';
import { ownMcpStdio } from '../own-command.js';
import type { Attachable } from '../screens/init/attach.js';
import { loadScreen } from '../screens/shell/load-screen.js';
import { openClients } from './find-servers.js';

export async function offerClients(output: string): Promise<void> {
  const configFile = resolve(output);
  const clients = openClients(configFile);
  const attachable = await listAttachable(clients);
  if (attachable.length === 0) return;
  const { showAttach } = await loadScreen(() => import('../screens/init/show-init.js'));
  const command = [...ownMcpStdio(), '--config', configFile].join(' ');
  for (const id of await showAttach(attachable, command)) {
    const told = await clients.attach(id).then(
      ({ path, backupPath }) => `attached ${id}: ${path}${backupPath === null ? '' : `, as it was: ${backupPath}`}`,
      (error: unknown) => {
        if (!(error instanceof AiClientError)) throw error;
        return `not attached: ${error.message}`;
      },
    );
    process.stdout.write(`${toPlainText(told)}\n`);
  }
}

/** Those that are there and do not run this configuration yet. */
async function listAttachable(clients: AiClients): Promise<readonly Attachable[]> {
  const detected = (await clients.list()).filter((client) => client.detected);
  const looked = await Promise.all(
    detected.map(async ({ id, name, path }) => {
      const preview = await clients.preview(id, 'attach').catch((error: unknown) => {
        if (error instanceof AiClientError) return error.message;
        throw error;
      });
      if (typeof preview === 'string') return [{ id, name, path, problem: preview }];
      return preview.before === preview.after ? [] : [{ id, name, path, problem: null }];
    }),
  );
  return looked.flat();
}
