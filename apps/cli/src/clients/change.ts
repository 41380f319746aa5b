// `portico clients attach|detach|undo`: shows the change of the file, asks, and writes.
import type { Answers, ApiClient } from '@portico/client';
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { CommandFailure, exitCodes, UsageFailure } from '../failures.js';
import { confirm, openTerminal } from '../input/ask.js';
import { showPlan } from './move.js';
import { offerMove } from './offer-move.js';
import { showPreview } from './preview.js';

type Action = 'attach' | 'detach' | 'undo';

interface Options {
  readonly yes?: true;
  readonly preview?: true;
  /** Whether the servers of the client are moved too; undefined asks on a terminal, and moves none in a pipe. */
  readonly move?: boolean;
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
        if (action === 'attach') addMoveFlags(command);
        return action === 'undo' ? command : command.option('--preview', 'show what would change, and write nothing');
      },
      reach: 'state',
      run: (session, [id], options) => change(session, action, id, options),
    });
  }
}

/** For a command that attaches. */
export function addMoveFlags(command: Command): Command {
  return command
    .option('--move', 'also put the own servers of the client behind Portico')
    .option('--no-move', 'leave its own servers as they are, without a question');
}

async function change(session: Session, action: Action, id: string, options: Options): Promise<number> {
  const { client, output } = session;
  const { yes, preview } = options;
  const planned = action === 'undo' ? undefined : await client.previewClient(id, { action });
  if (preview === true && planned !== undefined) return showPreviews(session, id, planned, options);
  const isNoChange = planned?.change === null && planned.restores.length === 0;
  if (yes !== true && !isNoChange) await askFirst(session, action, id, planned);
  const answer = await actions[action](client, id);
  const sayWritten = () => {
    const isAsBefore = action === 'undo' && answer.backup_path === null; // also where there was nothing to undo
    if (isAsBefore) output.line(`${id}: the file is as it was before the last change`);
    else output.line(isNoChange ? `${planned.path}: nothing to change` : `${planned?.path ?? id}: written`);
    if (answer.backup_path !== null)
      output.line(`as it was before: ${answer.backup_path} ("portico clients undo ${id}" puts it back)`);
  };
  if (action !== 'attach') {
    output.answer(answer, sayWritten);
    return exitCodes.ok;
  }
  if (!output.isJson) sayWritten();
  const moved = await offerMove(session, id, options);
  if (output.isJson) output.json({ ...answer, move: moved });
  return exitCodes.ok;
}

async function showPreviews(
  { client, output }: Session,
  id: string,
  planned: Answers['previewClient'],
  { move }: Options,
): Promise<number> {
  const moved = move === true ? await client.moveClient(id, { dry_run: true }) : undefined;
  output.answer(moved === undefined ? planned : { ...planned, move: moved }, () => {
    showPreview(output, planned);
    if (moved !== undefined) showPlan({ ...moved, attached: true }, output.line);
  });
  return exitCodes.ok;
}

async function askFirst(
  { output, stopped }: Session,
  action: Action,
  id: string,
  planned: Answers['previewClient'] | undefined,
): Promise<void> {
  const terminal = openTerminal(stopped);
  if (terminal === undefined) throw new UsageFailure(`"clients ${action}" asks on a terminal; in a pipe add --yes`);
  if (planned !== undefined) showPreview({ ...output, painted: output.note }, planned);
  const question = `${summaries[action]}, ${planned?.path ?? id}?`;
  const isAgreed = await confirm(terminal.ask, question).finally(terminal.close);
  if (!isAgreed) throw new CommandFailure('the files stay as they were: the change was not confirmed');
}

const actions = {
  attach: (client: ApiClient, id: string) => client.attachClient(id),
  detach: (client: ApiClient, id: string) => client.detachClient(id),
  undo: (client: ApiClient, id: string) => client.undoClient(id),
};
