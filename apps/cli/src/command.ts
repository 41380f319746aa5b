// Shared by every command: its flags, help with examples, the connection to the service, and the exit code.
import type { ApiClient } from '@portico/client';
import type { Argument, Command } from 'commander';
import type { ConnectionOptions } from './connection-options.js';
import { endAs } from './end-as.js';
import type { IdKind } from './id-kinds.js';
import type { NamedId } from './near-ids.js';
import { createOutput, type Output } from './output/output.js';
import { untilStopped } from './until-stopped.js';

export interface Session {
  readonly client: ApiClient;
  /** Null in a host of this process. */
  readonly url: string | null;
  readonly output: Output;
  /** Aborted by Ctrl-C, and when the reader of the output closes it. */
  readonly stopped: AbortSignal;
}

/**
 * `daemon`: it needs the sessions of a running one. `state`: a host of this process will do where none runs, and
 * `servers`: one that starts the servers.
 */
export type Reach = 'daemon' | 'state' | 'servers';

const substitutes = { daemon: 'never', state: 'fallback', servers: 'fallback-started' } as const;

interface Spec {
  /** Name and arguments: `approve <id>`. */
  readonly usage: string;
  readonly summary: string;
  /** Command lines behind `portico`. */
  readonly examples: readonly string[];
  /** The kind of each argument, in order: for completion, and for suggestions when no such thing exists. */
  readonly ids?: readonly IdKind[];
  /** It prints a table: `--wide` is a flag of it. */
  readonly hasTable?: true;
  /** Adds the flags of its own. */
  readonly flags?: (command: Command) => Command;
}

interface SessionSpec<Args extends readonly unknown[], Options> extends Spec {
  /** `daemon` by default. */
  readonly reach?: Reach;
  /** Ends by itself when `stopped` aborts, and then prints a message. */
  readonly endsByItself?: boolean;
  /** @returns the exit code, 0 by default */
  readonly run: (session: Session, args: Args, options: Options) => Promise<number | undefined>;
}

interface OfflineSpec<Args extends readonly unknown[], Options> extends Spec {
  readonly run: (
    output: Output,
    args: Args,
    options: Options & CommonOptions,
    stopped: AbortSignal,
  ) => Promise<number | undefined>;
}

export interface CommonOptions extends Omit<ConnectionOptions, 'inProcess' | 'stopped'> {
  readonly json?: true;
  readonly wide?: true;
}

/** Shared by commands while one of them runs. */
export interface Shell {
  readonly finish: (exitCode: number) => void;
  readonly stopped: AbortSignal;
}

/** A command that speaks to the service. Nothing is loaded for it before it runs. */
export function addCommand<Args extends readonly unknown[], Options = unknown>(
  parent: Command,
  shell: Shell,
  { reach = 'daemon', endsByItself = false, run, ...spec }: SessionSpec<Args, Options>,
): void {
  const command = describeCommand(parent, spec);
  addConnectionFlags(command);
  if (reach === 'daemon') command.option('--in-process', 'start the servers in this process, without a daemon');
  addJsonFlag(command);
  command.action(async () => {
    const options = optionsOf<Options & { inProcess?: true }>(command);
    const output = await outputFor(options);
    const execute = async () => {
      const { openConnection } = await import('./connection.js');
      const inProcess = options.inProcess === true ? 'always' : substitutes[reach];
      const { stopped } = shell;
      const connection = await openConnection({ ...options, inProcess, stopped });
      const session = { client: connection.client, url: connection.url, output, stopped };
      const begin = () => run(session, argsOf<Args>(command), options);
      try {
        stopped.throwIfAborted();
        return await (endsByItself ? begin() : untilStopped(begin, stopped));
      } catch (error) {
        throw await explain(error, connection.client, command);
      } finally {
        await connection.close();
      }
    };
    shell.finish(await endAs(execute, { output, options, stopped: shell.stopped }));
  });
}

/** A command that works without a service, or decides by itself. */
export function addOfflineCommand<Args extends readonly unknown[], Options = unknown>(
  parent: Command,
  shell: Shell,
  { run, ...spec }: OfflineSpec<Args, Options>,
): void {
  const command = describeCommand(parent, spec);
  addJsonFlag(command);
  command.action(async () => {
    const options = optionsOf<Options>(command);
    const output = await outputFor(options);
    const begin = () => run(output, argsOf<Args>(command), options, shell.stopped);
    const execute = () => untilStopped(begin, shell.stopped);
    shell.finish(await endAs(execute, { output, options, stopped: shell.stopped }));
  });
}

/** A name that holds commands. */
export function addGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary).helpCommand(false);
}

export function addConnectionFlags(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'address of the daemon (PORTICO_URL; default: that of the configuration file, else the one that runs)',
    )
    .option('--token <token>', 'bearer token, where the service asks for one (PORTICO_TOKEN)')
    .option('--config <file>', 'configuration file (default: mcp_servers.json here, else in ~/.config/portico)')
    .option('--state-dir <dir>', 'where the state is kept (default: one per configuration file)')
    .option('--profile <id>', 'see only what this profile shows');
}

export function addJsonFlag(command: Command): Command {
  return command.option('--json', 'print the answer of the service as JSON');
}

function describeCommand(parent: Command, { usage, summary, examples, ids = [], hasTable, flags }: Spec): Command {
  const command = parent.command(usage).description(summary).allowExcessArguments(false);
  command.addHelpText('after', () => `\nExamples:\n${examples.map((line) => `  $ portico ${line}`).join('\n')}`);
  if (hasTable === true) command.option('--wide', 'print every column whole, and exact times');
  for (const [index, kind] of ids.entries()) Object.assign(command.registeredArguments[index] ?? {}, { idKind: kind });
  return flags?.(command) ?? command;
}

/** With ids that are close to those of the command line, where the service knows one of them not. */
async function explain(error: unknown, client: ApiClient, command: Command): Promise<unknown> {
  if (!(error instanceof Error) || error.name !== 'ApiError') return error;
  const { explainNotFound } = await import('./near-ids.js');
  const named = command.registeredArguments.flatMap((argument, index): NamedId[] => {
    const kind = idKindOf(argument);
    return kind === undefined ? [] : [command.processedArgs[index]].flat().map((id) => [kind, String(id)]);
  });
  const { profile } = optionsOf(command);
  return explainNotFound(error, client, profile === undefined ? named : [['profile', profile], ...named]);
}

/** As the specification of the command says. */
export function idKindOf(argument: Argument): IdKind | undefined {
  return (argument as Argument & { readonly idKind?: IdKind }).idKind; // put there with the command
}

/** Flags before the command count as well; those behind it win. */
function optionsOf<Options>(command: Command): Options & CommonOptions {
  const parents: Command[] = [];
  for (let at: Command | null = command.parent; at !== null; at = at.parent) parents.unshift(at);
  // Commander has them as it parsed them by the definitions above.
  return Object.assign({}, ...parents.map((parent) => parent.opts()), command.opts()) as Options & CommonOptions;
}

/** As the usage of the command names them. */
function argsOf<Args extends readonly unknown[]>(command: Command): Args {
  return command.processedArgs as unknown as Args;
}

async function outputFor({ json, wide }: CommonOptions): Promise<Output> {
  const { toTable } = await import('./output/table.js');
  return createOutput({ stdout: process.stdout, stderr: process.stderr, env: process.env, toTable, json, wide });
}
