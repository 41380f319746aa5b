import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addOfflineCommand, type Shell } from './command.js';
import { Interrupted } from './end-as.js';

/** Ctrl-C came before the command was under way. */
function interrupted() {
  const codes: number[] = [];
  const begun: string[] = [];
  const shell: Shell = { finish: (code) => codes.push(code), stopped: AbortSignal.abort(new Interrupted()) };
  const run = async () => {
    begun.push('run');
    return undefined;
  };
  return { codes, begun, shell, run, program: new Command('portico').enablePositionalOptions() };
}

it('begins nothing after Ctrl-C', async () => {
  const { codes, begun, shell, run, program } = interrupted();
  addOfflineCommand(program, shell, { usage: 'go', summary: '', examples: [], run });
  await program.parseAsync(['go'], { from: 'user' });
  expect([codes, begun]).toEqual([[130], []]);
});
