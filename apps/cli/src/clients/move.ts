// `portico clients move`: puts the own servers of an AI client behind Portico. Shows what would be done, asks, and does it.
import type { ClientMove, MovedServer } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { CommandFailure, exitCodes, UsageFailure } from '../failures.js';
import { confirm, openTerminal } from '../input/ask.js';
import type { Output } from '../output/output.js';

interface Options {
  readonly yes?: true;
  readonly dryRun?: true;
  /** False with --no-check. */
  readonly check: boolean;
}

export type MoveSession = Pick<Session, 'client' | 'output' | 'stopped'>;

export function addClientMove(group: Command, shell: Shell): void {
  addCommand<[string, string[]], Options>(group, shell, {
    usage: 'move <client> [servers...]',
    summary: 'Put the own servers of an AI client behind Portico: import them, then turn them off in its configuration',
    examples: ['clients move cursor', 'clients move cursor github --yes --json', 'clients move codex --dry-run'],
    flags: (command) =>
      command
        .option('--yes', 'do not ask')
        .option('--dry-run', 'show the steps, and write nothing')
        .option('--no-check', 'also move servers that do not connect behind Portico'),
    reach: 'state',
    run: (session, [id, names], options) => move(session, id, names, options),
  });
}

async function move(
  session: MoveSession,
  id: string,
  names: readonly string[],
  { yes, dryRun, check }: Options,
): Promise<number> {
  const { client, output } = session;
  const servers = names.length === 0 ? null : [...names];
  const planned = await client.moveClient(id, { servers, dry_run: true });
  if (dryRun === true || planned.servers.length === 0) {
    output.answer(planned, () => showPlan(planned, output.line));
    return planned.servers.length === 0 && names.length > 0 ? exitCodes.failed : exitCodes.ok;
  }
  if (planned.attached && yes !== true && !(await agrees(session, planned))) {
    throw new CommandFailure('the files stay as they were: the change was not confirmed');
  }
  const done = await moveNow(session, id, { servers, check });
  output.answer(done, () => showDone(done, output));
  return done.left.some(({ name }) => planned.servers.some((server) => server.name === name))
    ? exitCodes.failed
    : exitCodes.ok;
}

export async function moveNow(
  { client, output }: MoveSession,
  id: string,
  { servers, check }: { readonly servers: string[] | null; readonly check: boolean },
): Promise<ClientMove> {
  const clear = output.progress('connecting to the servers');
  return client.moveClient(id, { servers, check }).finally(clear);
}

/** @throws UsageFailure if there is no terminal */
export async function agrees({ stopped, output }: MoveSession, planned: ClientMove): Promise<boolean> {
  const terminal = openTerminal(stopped);
  if (terminal === undefined) throw new UsageFailure('"clients move" asks on a terminal; in a pipe add --yes');
  showPlan(planned, output.note);
  const names = planned.servers.map(({ name }) => name).join(', ');
  return confirm(terminal.ask, `Move ${names} behind Portico?`).finally(terminal.close);
}

export function showPlan(
  { client, path, config_path, attached, servers, left }: ClientMove,
  line: (text: string) => void,
): void {
  if (servers.length === 0) line(`${path}: no server to move`);
  else line(`${config_path}:`);
  for (const server of servers) line(sayImport(server));
  if (servers.length > 0) line(`${path}:`);
  for (const { name, line: at, switched_off_by } of servers) {
    line(
      switched_off_by === 'removed'
        ? `- line ${at}: ${name} is removed`
        : `~ line ${at}: ${name} gets ${switched_off_by}`,
    );
  }
  for (const server of servers) for (const text of warningsOf(server)) line(text);
  for (const { name, reason } of left) line(`${name} stays: ${reason}`);
  if (!attached && servers.length > 0) {
    line(`${client} is not attached to this configuration; next: portico clients attach ${client} --move`);
  }
}

export function showDone(done: ClientMove, output: Pick<Output, 'line' | 'note'>): void {
  const { client, servers, left, backup_path } = done;
  for (const server of servers) {
    const { name, server_id, status } = server;
    const as = server_id === name ? '' : ` as ${server_id}`;
    output.line(`moved ${name}${as}${status === null ? '' : ` (${status})`}`);
    if (status === 'degraded') output.note(`${server_id} does not connect yet; next: portico server test ${server_id}`);
    for (const text of warningsOf(server)) output.note(text);
  }
  for (const { name, reason } of left) output.note(`${name} stays: ${reason}`);
  if (backup_path === null) return;
  output.line(`as it was before: ${backup_path} ("portico clients undo ${client}" turns them on again)`);
  output.line(`restart ${client}, or have it read its configuration again`);
}

function sayImport({ name, server_id, imported, definition }: MovedServer): string {
  const { command, args, url } = definition;
  if (!imported) return `= ${server_id} is there already, the same server as ${name}`;
  const words = [command, ...(Array.isArray(args) ? args : []), url].filter((word) => typeof word === 'string');
  return `+ ${server_id}: ${words.join(' ')}`;
}

function warningsOf({ name, server_id, lost_fields, plain_secrets, scope }: MovedServer): readonly string[] {
  return [
    ...(lost_fields.length === 0
      ? []
      : [`warning: ${name}: Portico has no equivalent of ${lost_fields.join(', ')}; ${server_id} runs without`]),
    ...(plain_secrets.length === 0
      ? []
      : [
          `warning: ${name}: ${plain_secrets.join(', ')}: plain secrets in the configuration; env://NAME in their place keeps them out`,
        ]),
    ...(scope === null ? [] : [`warning: ${name} was for ${scope} alone; behind Portico it is there in every folder`]),
  ];
}
