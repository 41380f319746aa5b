// `portico approvals watch`: the queue of gated calls, live, for the person who decides on them.
import type { ApiClient } from '@portico/client';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { UsageFailure } from '../failures.js';
import type { QueueStart } from '../screens/approvals/state.js';
import { isOnTerminal, loadScreen } from '../screens/shell/load-screen.js';
import { addOperatorFlag, type OperatorOptions, operatorOf } from './operator.js';

export interface WatchOptions extends OperatorOptions {
  readonly bell?: true;
}

export function addApprovalsWatch(group: Command, shell: Shell): void {
  addCommand<[], WatchOptions>(group, shell, {
    usage: 'watch',
    summary: 'Watch pending approvals and decide on them',
    examples: ['approvals watch --bell', 'approvals watch --operator ada'],
    flags: (command) => addBellFlag(addOperatorFlag(command)),
    endsByItself: true,
    async run({ client }, _args, options) {
      if (!isOnTerminal())
        throw new UsageFailure('approvals watch needs a terminal; in a pipe use: portico approvals list');
      await approveLoop(client, options);
      return 0;
    },
  });
}

export function addBellFlag(command: Command): Command {
  return command.option('--bell', "ring the terminal's bell when a ticket arrives");
}

/** The screen itself, also for those who come from another one. */
export async function approveLoop(client: ApiClient, options: WatchOptions, start?: QueueStart): Promise<void> {
  const { showQueue } = await loadScreen(() => import('../screens/approvals/show-queue.js'));
  const common = { operator: operatorOf(options), bell: options.bell === true, env: process.env };
  await showQueue(client, start === undefined ? common : { ...common, start });
}
