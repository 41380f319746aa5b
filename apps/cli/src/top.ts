// `portico top`: what needs a person, the last calls and the servers of a running daemon: live on a terminal, once into a pipe.
import type { Command } from 'commander';
import { addOperatorFlag } from './approvals/operator.js';
import { addBellFlag, approveLoop, type WatchOptions } from './approvals/watch.js';
import { addCommand, type CommonOptions, type Session, type Shell } from './command.js';
import { isOnTerminal, loadScreen } from './screens/shell/load-screen.js';

interface Options extends WatchOptions, CommonOptions {
  readonly once?: true;
}

export function addTop(program: Command, shell: Shell): void {
  addCommand<[], Options>(program, shell, {
    usage: 'top',
    summary: 'Watch tasks that need you, the last calls, servers and traffic',
    examples: ['top', 'top --once', 'top --json | jq .status'],
    flags: (command) =>
      addBellFlag(addOperatorFlag(command)).option('--once', 'print one frame and end, as into a pipe'),
    endsByItself: true,
    run: async (session, _args, options) => run(session, options),
  });
}

async function run({ client, url }: Session, options: Options): Promise<number> {
  const at = url ?? 'in this process';
  if (options.json === true || options.once === true || !isOnTerminal()) {
    const { takeOnce, toJsonLines, toText } = await import('./screens/top/print-top.js');
    const state = await takeOnce(client, at);
    const columns = process.stdout.isTTY === true ? process.stdout.columns : undefined;
    process.stdout.write(options.json === true ? toJsonLines(state) : toText(state, columns));
    return 0;
  }
  const { showTop } = await loadScreen(() => import('./screens/top/show-top.js'));
  for (;;) {
    const left = await showTop(client, at);
    if (left.kind === 'quit') return 0;
    await approveLoop(client, options, left.start);
  }
}
