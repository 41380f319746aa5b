// `portico metrics`: the numbers that Prometheus would read.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addMetrics(program: Command, shell: Shell): void {
  addCommand<[]>(program, shell, {
    usage: 'metrics',
    summary: 'Print the metrics of the daemon in the Prometheus text format',
    examples: ['metrics', 'metrics | grep portico_calls_total'],
    async run({ client, output }) {
      const metrics = await client.getMetrics();
      output.answer({ metrics }, () => output.raw(metrics));
      return undefined;
    },
  });
}
