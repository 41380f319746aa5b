// `portico server add`: a definition from a command line, an address, or JSON.
import type { Bodies } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
import { type Command, Option } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { CommandFailure, UsageFailure } from '../failures.js';
import { confirm, openTerminal } from '../input/ask.js';
import { parseObject } from '../input/json-arguments.js';
import { collect } from '../input/numbers.js';
import { readText } from '../input/read-text.js';
import { definitionsOf, findServer } from './shown-servers.js';

interface Options {
  readonly http?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly definition?: string;
  readonly definitionFile?: string;
  readonly yes?: true;
  readonly force?: true;
}

export function addServerAdd(group: Command, shell: Shell): void {
  addCommand<[string, string[]], Options>(group, shell, {
    usage: 'add <id> [command...]',
    summary: 'Add a server, or replace the one of that id when you agree; put -- before its command',
    examples: [
      'server add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
      'server add tracker --http https://mcp.example.com/mcp --header "Authorization=Bearer env://TOKEN"',
      'server add db --env PASSWORD=keychain://database/ann -- database-mcp --readonly',
      'server add notes --definition-file notes.json',
    ],
    flags: (command) =>
      command
        .option('--http <url>', 'a server that is reached over HTTP')
        .option('--env <name=value>', 'for its process; may be repeated', collect)
        .option('--header <name=value>', 'sent with every request; may be repeated', collect)
        .option('--definition <json>', 'an entry of mcpServers')
        .option('--definition-file <file>', 'the same in a file; - reads stdin')
        .option('--yes', 'replace the server of that id without asking')
        .addOption(new Option('--force', 'the same as --yes').hideHelp()),
    reach: 'state',
    async run(session, [id, words], options) {
      const { client, output, url } = session;
      const server = (await toDefinition(words, options, session.stopped)) as Bodies['upsertServer']['server']; // the service checks it
      const isThere = Object.hasOwn(await definitionsOf(session), id);
      if (isThere && options.yes !== true && options.force !== true) await agreeToReplace(id, session);
      const clear = output.progress(`adding ${id} and waiting for its first connection`);
      const answer = await client.upsertServer({ name: id, server }).finally(clear);
      const done = isThere ? 'replaced' : 'added';
      output.answer(answer, () => output.line(`${id}: ${done}${url === null ? '' : `, ${answer.status}`}`));
      if (url === null)
        output.note(`no daemon runs: it starts with the next one; "portico server test ${id}" tries it now`);
      if (url === null || answer.status === 'connected') return undefined;
      const { last_error, login_url } = await findServer(session, id);
      if (login_url !== undefined) output.note(`it waits for a login: portico login ${id}`);
      else if (last_error !== undefined) output.note(`it is configured, but not connected yet: ${last_error}`);
      return undefined;
    },
  });
}

/** @throws UsageFailure without a terminal, CommandFailure where the person says no */
async function agreeToReplace(id: string, { stopped }: Session): Promise<void> {
  const terminal = openTerminal(stopped);
  if (terminal === undefined) throw new UsageFailure(`server "${id}" is configured already; --yes replaces it`);
  const isAgreed = await confirm(terminal.ask, `server "${id}" is configured already; replace it?`).finally(
    terminal.close,
  );
  if (!isAgreed) throw new CommandFailure(`server "${id}" stays as it was`);
}

/** @throws UsageFailure if there is not exactly one way to reach it, or what is given with it would have no effect */
export async function toDefinition(
  words: readonly string[],
  options: Options,
  stopped: AbortSignal,
): Promise<JsonObject> {
  const { http, definition, definitionFile, env, header } = options;
  const given = [words.length > 0, http !== undefined, definition !== undefined, definitionFile !== undefined];
  if (given.filter(Boolean).length !== 1) {
    throw new UsageFailure('expected one of: a command behind --, --http, --definition, --definition-file');
  }
  if (env !== undefined && words.length === 0) throw new UsageFailure('--env goes with a command only');
  if (header !== undefined && http === undefined) throw new UsageFailure('--header goes with --http only');
  if (definition !== undefined) return parseObject(definition, '--definition');
  if (definitionFile !== undefined) return parseObject(await readText(definitionFile, stopped), definitionFile);
  if (http !== undefined)
    return { url: http, ...(header === undefined ? {} : { headers: toPairs(header, '--header') }) };
  const [command = '', ...args] = words;
  return { command, args, ...(env === undefined ? {} : { env: toPairs(env, '--env') }) };
}

function toPairs(pairs: readonly string[], flag: string): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined) throw new UsageFailure(`${flag} "${pair}": expected name=value`);
      return [name, value];
    }),
  );
}
