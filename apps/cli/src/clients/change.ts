// `portico clients attach|detach|undo`: shows what becomes of the file, asks, and writes.
import type { ApiClient } from '@portico/client';
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { CommandFailure, exitCodes, UsageFailure } from '../failures.js';
import { confirm, openTerminal } from '../input/ask.js';
import { showPreview } from './preview.js';

type Action = 'attach' | 'detach' | 'undo';

interface Options {
  readonly yes?: true;
  readonly preview?: true;
}

const summaries: Readonly<Record<Action, string>> = {
  attach: 'Write Portico into the configuration of an AI client',
  detach: 'Take Portico out of the configuration of an AI client',
  undo: 'Put the configuration of an AI client back as it was before the last change',
};

export function addClientChanges(group: Command, shell: Shell): void {
  for (const action of ['attach', 'detach', 'undo'] as const) {
    addCommand<[string], Options>(group, shell, {
      usage: `${action} <client>`,
      summary: summaries[action],
      examples: [
        `clients ${action} cursor`,
        `clients ${action} cursor --yes --json`,
        ...(action === 'undo' ? [] : [`clients ${action} cursor --preview`]),
      ],
      flags: (command) => {
        command.option('--yes', 'do not ask');
        return action === 'undo' ? command : command.option('--preview', 'show what would change, and write nothing');
      },
      reach: 'state',
      run: (session, [id], options) => change(session, action, id, options),
    });
  }
}

async function change(session: Session, action: Action, id: string, { yes, preview }: Options): Promise<number> {
  const { client, output, stopped } = session;
  const planned = action === 'undo' ? undefined : await client.previewClient(id, { action });
  if (preview === true && planned !== undefined) {
    output.answer(planned, () => showPreview(output, planned));
    return exitCodes.ok;
  }
  if (yes !== true && planned?.change !== null) {
    const terminal = openTerminal(stopped);
    if (terminal === undefined) throw new UsageFailure(`"clients ${action}" asks on a terminal; in a pipe add --yes`);
    if (planned !== undefined) showPreview({ ...output, painted: output.note }, planned);
    const question = `${summaries[action]}, ${planned?.path ?? id}?`;
    const isAgreed = await confirm(terminal.ask, question).finally(terminal.close);
    if (!isAgreed) throw new CommandFailure('nothing was written');
  }
  const answer = await actions[action](client, id);
  output.answer(answer, () => {
    output.line(planned?.change === null ? `${planned.path}: nothing to change` : `${planned?.path ?? id}: written`);
    if (answer.backup_path !== null)
      output.line(`as it was before: ${answer.backup_path} ("portico clients undo ${id}" puts it back)`);
  });
  return exitCodes.ok;
}

const actions = {
  attach: (client: ApiClient, id: string) => client.attachClient(id),
  detach: (client: ApiClient, id: string) => client.detachClient(id),
  undo: (client: ApiClient, id: string) => client.undoClient(id),
};
