// `portico config alias`: short names for capabilities, resources and prompts.
import type { JsonValue } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type Shell } from '../command.js';
import { isObject } from '../is-object.js';

type Kind = 'tool' | 'resource' | 'prompt';

interface Options {
  readonly kind: Kind;
  readonly summary?: string;
  readonly description?: string;
  readonly passthrough?: boolean;
}

const fields: Readonly<Record<Kind, string>> = {
  tool: 'capabilityAliases',
  resource: 'resourceAliases',
  prompt: 'promptAliases',
};

export function addAlias(config: Command, shell: Shell): void {
  const group = addGroup(config, 'alias', 'Short names for capabilities, resources and prompts');
  addList(group, shell);
  addSet(group, shell);
  addRemove(group, shell);
}

const addKind = (command: Command) =>
  command.addOption(
    new Option('--kind <kind>', 'kind of the target').choices(['tool', 'resource', 'prompt']).default('tool'),
  );

function addList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List aliases',
    examples: ['config alias list'],
    reach: 'state',
    async run({ client, output }) {
      const { config } = await client.getConfig();
      const aliases = (Object.keys(fields) as Kind[]).flatMap((kind) => {
        const map = config[fields[kind]];
        return Object.entries(isObject(map) ? map : {}).map(([alias, target]) => ({
          kind,
          alias,
          target: targetOf(target),
        }));
      });
      type Row = (typeof aliases)[number];
      const columns = [
        { heading: 'ALIAS', cell: ({ alias }: Row) => alias },
        { heading: 'KIND', cell: ({ kind }: Row) => kind, value: 1 },
        { heading: 'TARGET', cell: ({ target }: Row) => target, isId: true },
      ];
      output.answer({ ok: true, aliases }, () => output.table(columns, aliases, 'no aliases'));
      return undefined;
    },
  });
}

function targetOf(value: JsonValue | undefined): string {
  return String(isObject(value) ? value.target : value);
}

function addSet(group: Command, shell: Shell): void {
  addCommand<[string, string], Options>(group, shell, {
    usage: 'set <alias> <target>',
    ids: ['alias', 'capability'],
    summary: 'Add an alias, or replace the target of one',
    examples: [
      'config alias set sum everything.get-sum --summary "Adds"',
      'config alias set notes files.file:///srv/notes.md --kind resource',
    ],
    flags: (command) =>
      addKind(command)
        .option('--summary <text>', 'summary in lists')
        .option('--description <text>', 'description in "portico describe"')
        .option('--passthrough', 'list it to MCP clients as a tool of its own')
        .option('--no-passthrough', 'do not list it as a tool of its own'),
    reach: 'state',
    async run({ client, output }, [alias, target], { kind, summary, description, passthrough }) {
      const answer = await client.updateAlias({ kind, alias, target, summary, description, passthrough });
      output.answer(answer, () => output.line(`${alias} -> ${target}`));
      return undefined;
    },
  });
}

function addRemove(group: Command, shell: Shell): void {
  addCommand<[string], Options>(group, shell, {
    usage: 'remove <alias>',
    ids: ['alias'],
    summary: 'Remove an alias',
    examples: ['config alias remove sum'],
    flags: addKind,
    reach: 'state',
    async run({ client, output }, [alias], { kind }) {
      const answer = await client.updateAlias({ kind, alias, target: null });
      output.answer(answer, () => output.line(`${alias}: removed`));
      return undefined;
    },
  });
}
