// `portico prompt`: the messages that a prompt makes of its arguments.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { readArguments } from '../input/json-arguments.js';
import { addExecutionFlags, type ExecutionOptions, execute, showAnswer } from './execution.js';

interface Options extends ExecutionOptions {
  readonly argsFile?: string;
}

export function addPrompt(program: Command, shell: Shell): void {
  addCommand<[string, string[]], Options>(program, shell, {
    usage: 'prompt <id> [args...]',
    ids: ['prompt'],
    summary: 'Get a prompt; arguments are name=text or one JSON object',
    examples: ['prompt everything.simple-prompt', 'prompt everything.args-prompt city=Rome'],
    flags: (command) =>
      addExecutionFlags(command).option('--args-file <file>', 'a JSON object with arguments; - reads stdin'),
    endsByItself: true,
    async run(session, [id, words], options) {
      const args = await readArguments(words, options.argsFile, session.stopped);
      const answer = await execute(session, options, (repeat, { waitSecs }) =>
        session.client.getPrompt({ prompt_id: id, arguments: args, ...repeat }, { waitSecs }),
      );
      return showAnswer(session, answer, options.raw);
    },
  });
}
