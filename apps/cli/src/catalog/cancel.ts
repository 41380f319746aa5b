// `portico cancel`: ends what is in flight under a request id.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { exitCodes } from '../failures.js';

export function addCancel(program: Command, shell: Shell): void {
  addCommand<[string]>(program, shell, {
    usage: 'cancel <request-id>',
    summary: 'Cancel the call with a request id',
    examples: ['cancel nightly-export'],
    async run({ client, output }, [id]) {
      const answer = await client.cancelOperation(id);
      output.answer(answer, () => {
        if (answer.cancelled) output.line(`${id}: cancelled`);
      });
      if (answer.cancelled) return exitCodes.ok;
      output.note(`${id}: nothing is in flight under this request id`);
      return exitCodes.failed;
    },
  });
}
