// `portico read`: the contents of a resource.
import { writeFile } from 'node:fs/promises';
import type { JsonValue } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { CommandFailure } from '../failures.js';
import { isObject } from '../is-object.js';
import { addExecutionFlags, type ExecutionOptions, execute, questionOf, showAnswer } from './execution.js';

interface Options extends ExecutionOptions {
  readonly output?: string;
}

export function addRead(program: Command, shell: Shell): void {
  addCommand<[string], Options>(program, shell, {
    usage: 'read <id>',
    ids: ['resource'],
    summary: 'Read a resource',
    examples: [
      'read everything.demo://resource/static/document/features.md',
      'read everything.demo://resource/dynamic/blob/1 -o blob.bin',
    ],
    flags: (command) =>
      addExecutionFlags(command).option('-o, --output <file>', 'write the bytes of its contents there'),
    endsByItself: true,
    async run(session, [id], options) {
      const answer = await execute(session, options, (repeat, { waitSecs }) =>
        session.client.readResource({ resource_id: id, ...repeat }, { waitSecs }),
      );
      if (options.output === undefined || questionOf(answer) !== undefined)
        return showAnswer(session, answer, options.raw);
      await writeFile(options.output, toBytes(answer.data)).catch((error: unknown) => {
        throw new CommandFailure(`${options.output}: ${error instanceof Error ? error.message : error}`);
      });
      session.output.answer(answer, () => {}); // people have the file
      return undefined;
    },
  });
}

function toBytes(data: JsonValue): Buffer {
  const contents = isObject(data) && Array.isArray(data.contents) ? data.contents.filter(isObject) : [];
  if (contents.length === 0) throw new CommandFailure('the resource has no contents');
  return Buffer.concat(
    contents.map(({ text, blob }) =>
      typeof blob === 'string' ? Buffer.from(blob, 'base64') : Buffer.from(String(text)),
    ),
  );
}
