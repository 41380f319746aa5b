// The possible next words on a command line: from the tree of commands, and the kind of ids when ids of a running
// daemon may follow. Makes no request itself.
import type { Argument, Command } from 'commander';
import { idKindOf } from '../command.js';
import type { IdKind } from '../id-kinds.js';

export interface Suggestions {
  readonly words: readonly string[];
  /** Ids of this kind may follow as well. */
  readonly ids: IdKind | undefined;
  /** Values of the flags before it, by their names in camelCase. */
  readonly options: Readonly<Record<string, string>>;
}

/** Flags whose value is an id. */
const idFlags: Readonly<Record<string, IdKind>> = {
  '--capability': 'capability',
  '--profile': 'profile',
  '--server': 'server',
};

/** @param words behind the program's name, the last one as far as it is typed */
export function suggest(program: Command, words: readonly string[]): Suggestions {
  const typed = words.at(-1) ?? '';
  const { command, position, pending, options } = follow(program, words.slice(0, -1));
  if (pending !== undefined)
    return { words: startingWith(typed, pending.choices), ids: idFlags[pending.long], options };
  if (typed.startsWith('-')) return { words: startingWith(typed, flagsOf(command)), ids: undefined, options };
  const argument = argumentAt(command, position);
  const choices = [...subcommandsOf(command), ...(argument?.argChoices ?? [])];
  return { words: startingWith(typed, choices), ids: argument && idKindOf(argument), options };
}

export function startingWith(typed: string, choices: readonly string[]): readonly string[] {
  return choices.filter((choice) => choice.startsWith(typed));
}

interface CompletionContext {
  readonly command: Command;
  /** Arguments that are there already. */
  readonly position: number;
  /** The flag before it, where that takes a value; files are the shell's business. */
  readonly pending?: Pending | undefined;
  readonly options: Readonly<Record<string, string>>;
}

interface Pending {
  readonly long: string;
  readonly name: string;
  readonly choices: readonly string[];
}

function follow(program: Command, words: readonly string[]): CompletionContext {
  let context: CompletionContext = { command: program, position: 0, options: {} };
  for (const word of words) {
    const { command, position, pending, options } = context;
    if (pending !== undefined) context = { command, position, options: { ...options, [pending.name]: word } };
    else if (word.startsWith('-')) context = { command, position, options, pending: flagWithValue(command, word) };
    else {
      const next = command.commands.find((candidate) => candidate.name() === word);
      context = { command: next ?? command, position: next === undefined ? position + 1 : 0, options };
    }
  }
  return context;
}

function flagWithValue(command: Command, word: string): Pending | undefined {
  const option = command.options.find(({ long, short }) => long === word || short === word);
  if (option === undefined || option.isBoolean() || !option.required) return undefined;
  return { long: option.long ?? word, name: option.attributeName(), choices: option.argChoices ?? [] };
}

/** The last one may be there several times. */
function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
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
