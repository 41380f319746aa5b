// What may come next on a command line, from the tree of commands alone: it must not wait for anybody.
import type { Command } from 'commander';

/** @param words behind the program's name, the last one as far as it is typed */
export function suggest(program: Command, words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? '';
  const { command, position, pending } = follow(program, words.slice(0, -1));
  const choices = pending ?? [...subcommandsOf(command), ...(command.registeredArguments[position]?.argChoices ?? [])];
  const isFlag = pending === undefined && typed.startsWith('-');
  return (isFlag ? flagsOf(command) : choices).filter((choice) => choice.startsWith(typed));
}

interface Place {
  readonly command: Command;
  /** Arguments that are there already. */
  readonly position: number;
  /** Values of the flag before it, where that takes one; files are the shell's business. */
  readonly pending?: readonly string[] | undefined;
}

function follow(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, position: 0 };
  for (const word of words) {
    const { command, position, pending } = place;
    if (pending !== undefined) place = { command, position };
    else if (word.startsWith('-')) place = { command, position, pending: valuesOf(command, word) };
    else {
      const next = command.commands.find((candidate) => candidate.name() === word);
      place = next === undefined ? { command, position: position + 1 } : { command: next, position: 0 };
    }
  }
  return place;
}

function valuesOf(command: Command, word: string): readonly string[] | undefined {
  const option = command.options.find(({ long, short }) => long === word || short === word);
  return option === undefined || option.isBoolean() || !option.required ? undefined : (option.argChoices ?? []);
}

function subcommandsOf(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((subcommand) => subcommand.name());
}

function flagsOf(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
}
