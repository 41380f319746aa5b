// The reference of all commands as Markdown, made from the commands themselves.
import type { Command } from 'commander';
import { createProgram } from './create-program.js';

/** The Markdown of `docs/cli-reference.md`, from the definitions of all commands. */
export function commandReference(version: string): string {
  const program = createProgram(version, { finish: () => {}, stopped: new AbortController().signal });
  const sections = leavesOf(program).map(({ path, command }) => toSection(path, command));
  const head = [
    '# Commands',
    'Made from the commands themselves; `portico <command> --help` says the same. [cli.md](cli.md) is the guide.',
    'Commands that speak to the service also take `--url`, `--token`, `--config`, `--state-dir`, `--profile` and `--json`.',
  ];
  return `${[...head, ...sections].join('\n\n')}\n`;
}

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

/** Commands that do something, with the names that lead to them. */
function leavesOf(parent: Command, before = 'portico'): readonly Leaf[] {
  const visible = parent.createHelp().visibleCommands(parent);
  return visible.flatMap((command) => {
    const path = `${before} ${command.name()}`;
    return command.commands.length > 0 ? leavesOf(command, path) : [{ path, command }];
  });
}

const common = new Set(['--url', '--token', '--config', '--state-dir', '--profile', '--json', '--help']);

function toSection(path: string, command: Command): string {
  const help = command.createHelp();
  const args = command.registeredArguments.map((argument) => {
    const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  const flags = help
    .visibleOptions(command)
    .filter(({ long }) => !common.has(long ?? ''))
    .map((option) => `| \`${option.flags}\` | ${help.optionDescription(option).replaceAll('|', '\\|')} |`);
  const table = flags.length === 0 ? [] : [['| Flag | |', '|---|---|', ...flags].join('\n')];
  return [`## ${path}`, command.description(), `\`${[path, ...args].join(' ')}\``, ...table].join('\n\n');
}
