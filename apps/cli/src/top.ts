// `portico top`: how the servers of a running daemon are doing, live on a terminal, once into a pipe.
import type { Command } from 'commander';
import { addOperatorFlag } from './approvals/operator.js';
import { addBellFlag, approveLoop, type WatchOptions } from './approvals/watch.js';
import { addCommand, type CommonOptions, type Session, type Shell } from './command.js';
import { isOnTerminal, loadScreen } from './screens/shell/load-screen.js';

type Options = WatchOptions & CommonOptions;

export function addTop(program: Command, shell: Shell): void {
  addCommand<[], Options>(program, shell, {
    usage: 'top',
    summary: 'Watch servers, circuits, traffic and approvals',
    examples: ['top', 'top --json | jq .status'],
    flags: (command) => addBellFlag(addOperatorFlag(command)),
    endsByItself: true,
    run: async (session, _args, options) => run(session, options),
  });
}

async function run({ client, url }: Session, options: Options): Promise<number> {
  if (options.json === true || !isOnTerminal()) {
    const { takeTwo, toJsonLines, toTable } = await import('./screens/top/print-top.js');
    const samples = await takeTwo(client);
    process.stdout.write(options.json === true ? toJsonLines(samples) : toTable(samples));
    return 0;
  }
  const { showTop } = await loadScreen(() => import('./screens/top/show-top.js'));
  while ((await showTop(client, url ?? 'in this process')) === 'approvals') await approveLoop(client, options);
  return 0;
}
