// After a configuration was written: attaches the AI clients that the user chooses to it.
import { resolve } from 'node:path';
import { ApiError } from '@portico/client';
import { AiClientError, type AiClients } from '@portico/host';
import { offerMove } from '../clients/offer-move.js';
import { openInProcess } from '../in-process.js';
import { createOutput } from '../output/output.js';
import { toPlainText } from '../output/plain-text.js';
import { toTable } from '../output/table.js';
import { ownMcpStdio } from '../own-command.js';
import type { Attachable } from '../screens/init/attach.js';
import { loadScreen } from '../screens/shell/load-screen.js';
import { openClients } from './find-servers.js';

/** @param move whether their own servers are moved behind Portico; undefined asks */
export async function offerClients(output: string, move: boolean | undefined, stopped: AbortSignal): Promise<void> {
  const configFile = resolve(output);
  const clients = openClients(configFile);
  const attachable = await listAttachable(clients);
  if (attachable.length === 0) return;
  const { showAttach } = await loadScreen(() => import('../screens/init/show-init.js'));
  const command = [...ownMcpStdio(), '--config', configFile].join(' ');
  const attached: string[] = [];
  for (const id of await showAttach(attachable, command)) {
    const results = await clients.attach(id).then(
      ({ path, backupPath }) => {
        attached.push(id);
        return `attached ${id}: ${path}${backupPath === null ? '' : `, as it was: ${backupPath}`}`;
      },
      (error: unknown) => {
        if (!(error instanceof AiClientError)) throw error;
        return `not attached: ${error.message}`;
      },
    );
    process.stdout.write(`${toPlainText(results)}\n`);
  }
  if (attached.length > 0 && move !== false) await offerMoves(configFile, attached, move, stopped);
}

/** Through a service of this process: nothing serves a configuration that was written just now. */
async function offerMoves(
  configFile: string,
  ids: readonly string[],
  move: boolean | undefined,
  stopped: AbortSignal,
): Promise<void> {
  const { client, close } = await openInProcess(
    { config: configFile, stopped },
    { servers: 'none', announced: undefined },
  );
  const { stdout, stderr, env } = process;
  const output = createOutput({ stdout, stderr, env, toTable });
  try {
    for (const id of ids) {
      await offerMove({ client, output, stopped }, id, move === undefined ? {} : { move }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        output.note(`not moved: ${error.message}`);
      });
    }
  } finally {
    await close();
  }
}

/** Clients that are installed and do not run this configuration yet. */
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
