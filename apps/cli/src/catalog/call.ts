// `portico call`: one tool, its texts on stdout.
import type { JsonObject } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { findInputSchema, readArguments } from '../input/json-arguments.js';
import { toPositive } from '../input/numbers.js';
import { isObject } from '../is-object.js';
import { showFields } from '../output/describe.js';
import { addExecutionFlags, type ExecutionOptions, execute, showAnswer } from './execution.js';

interface Options extends ExecutionOptions {
  readonly argsFile?: string;
  readonly async?: true;
  readonly jsonpath?: string;
  readonly limitLines?: number;
  readonly truncateBytes?: number;
}

export function addCall(program: Command, shell: Shell): void {
  addCommand<[string, string[]], Options>(program, shell, {
    usage: 'call <id> [args...]',
    ids: ['capability'],
    summary:
      'Call a capability; arguments are name=value (converted to the type in its schema), name:=json or one JSON object',
    examples: [
      'call everything.get-sum a=2 b=3',
      'call everything.get-sum \'{"a": 2, "b": 3}\' --json',
      'call memory.read_graph --jsonpath "$.structuredContent.entities[*].name"',
      'call memory.create_entities --args-file entities.json --key import-1',
      'call memory.delete_entities entityNames:=\'["Ada"]\' --wait 60',
    ],
    flags: (command) =>
      addExecutionFlags(command)
        .option('--args-file <file>', 'a JSON object with arguments; - reads stdin')
        .option('--async', 'do not wait: print the task, which "portico tasks" follows')
        .option('--jsonpath <query>', 'keep only what this RFC 9535 query selects')
        .option('--limit-lines <n>', 'keep the first lines of every text', toPositive)
        .option('--truncate-bytes <n>', 'cut the result down to this many bytes of JSON', toPositive),
    endsByItself: true,
    async run(session, [id, words], options) {
      const args = {
        ...(await readArguments(words, options.argsFile, session.stopped, () => findInputSchema(session.client, id))),
        ...modifiers(options),
      };
      const answer = await execute(session, options, (repeat, { waitSecs }) =>
        session.client.callTool({ capability_id: id, args, ...repeat }, { waitSecs, respondAsync: options.async }),
      );
      const { data } = answer;
      if (!isObject(data) || data.resultType !== 'task' || !isObject(data.task))
        return showAnswer(session, answer, options.raw);
      const { task_id, status } = data.task;
      session.output.answer(answer, () => showFields(session.output, { task: task_id, status }));
      session.output.note(`"portico tasks show ${task_id}" has the result once it is there`);
      return undefined;
    },
  });
}

function modifiers({ jsonpath, limitLines, truncateBytes }: Options): JsonObject {
  return {
    ...(jsonpath === undefined ? {} : { _jsonpath: jsonpath }),
    ...(limitLines === undefined ? {} : { _limit_lines: limitLines }),
    ...(truncateBytes === undefined ? {} : { _truncate_bytes: truncateBytes }),
  };
}
