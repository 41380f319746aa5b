// `portico complete`: what a server suggests for an argument of a prompt or a resource template.
import { Argument, type Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addComplete(program: Command, shell: Shell): void {
  addCommand<['prompt' | 'resource', string, string, string | undefined]>(program, shell, {
    usage: 'complete',
    summary: 'Ask a server to complete an argument of a prompt or resource template',
    examples: [
      'complete prompt everything.completable-prompt department E',
      'complete resource "everything.demo://resource/dynamic/text/{resourceId}" resourceId 1',
    ],
    flags: (command) =>
      command
        .addArgument(new Argument('<kind>', 'what has the argument').choices(['prompt', 'resource']))
        .argument('<id>', 'the prompt or the resource template')
        .argument('<argument>', 'its name')
        .argument('[value]', 'how the value begins'),
    async run({ client, output }, [ref_type, ref_name, argument_name, argument_value = '']) {
      const answer = await client.complete({ ref_type, ref_name, argument_name, argument_value });
      output.answer(answer, () => {
        for (const value of answer.data.values) output.line(value);
        if (answer.data.has_more === true) output.note('there are more');
      });
      return undefined;
    },
  });
}
