// `portico completion`: a script that has the shell ask this program what may come next.
import { Argument, type Command } from 'commander';
import { addOfflineCommand, type Shell } from '../command.js';
import type { ConnectionOptions } from '../connection-options.js';
import type { IdKind } from '../id-kinds.js';
import { toPlainCell } from '../output/plain-text.js';
import { scripts } from './completion-scripts.js';
import { startingWith, suggest } from './suggest.js';
import { typeable } from './typeable.js';

export function addCompletion(program: Command, shell: Shell): void {
  addOfflineCommand<[keyof typeof scripts]>(program, shell, {
    usage: 'completion',
    summary: 'Print a script that completes commands, flags and ids of the running daemon in a shell',
    examples: [
      'completion bash >> ~/.bashrc',
      'completion zsh > ~/.zsh/completions/_portico   # a folder of your fpath',
      'completion fish > ~/.config/fish/completions/portico.fish',
    ],
    flags: (command) => command.addArgument(new Argument('<shell>', 'whose').choices(['bash', 'zsh', 'fish'])),
    async run(output, [name]) {
      output.answer({ shell: name, script: scripts[name] }, () => output.raw(scripts[name]));
      return undefined;
    },
  });
  // Called by the completion scripts with the words after the program's name; the last one may be incomplete.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const { words: known, ids, options } = suggest(program, words);
      const found =
        ids === undefined ? [] : typeable(startingWith(words.at(-1) ?? '', await idsOfDaemon(ids, options)));
      process.stdout.write([...known, ...found].map((word) => `${toPlainCell(word)}\n`).join(''));
    });
}

/** How long a key press may wait for a daemon. */
const limitMs = 700;

/** None if no daemon is known, or it does not answer in time: nothing is said into a half-typed line. */
async function idsOfDaemon(kind: IdKind, options: ConnectionOptions): Promise<readonly string[]> {
  try {
    const { connectTo, findAddress } = await import('../connection.js');
    const url = await findAddress(options);
    if (url === undefined) return [];
    const { client } = await connectTo(url, options);
    const { idsOf } = await import('../id-kinds.js');
    return await idsOf(kind, client, limitMs);
  } catch {
    return []; // an address or a token that no request can have
  }
}
