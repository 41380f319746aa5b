// `portico completion`: a script that has the shell ask this program what may come next.
import { Argument, type Command } from 'commander';
import { addOfflineCommand, type Shell } from '../command.js';
import { scripts } from './completion-scripts.js';
import { suggest } from './suggest.js';

export function addCompletion(program: Command, shell: Shell): void {
  addOfflineCommand<[keyof typeof scripts]>(program, shell, {
    usage: 'completion',
    summary: 'Print a script that completes commands and flags in a shell',
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
  // What the scripts call: the words behind the program's name, the last one as far as it is typed.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action((words: string[]) => {
      process.stdout.write(
        suggest(program, words)
          .map((word) => `${word}\n`)
          .join(''),
      );
    });
}
