// Runs commands of the built CLI one after the other in one process, as starting one costs far more than most commands.
// Before each, this process gets the arguments, environment, folder and stdin that a new one would have. A command has
// ended once its function has returned and nothing is left that would keep a process of its own alive: no timer, no
// socket, no file. NUL and the exit code, on stdout and on stderr, end the output of each.
import { Readable } from 'node:stream';
import { runCommand } from '../../../../apps/cli/dist/index.js';

process.on('message', async (command) => {
  become(command);
  const code = await runCommand(command.args);
  while (process.getActiveResourcesInfo().length > ownResources) await turn();
  process.chdir('/'); // the folder of the command is removed with its test
  for (const stream of [process.stdout, process.stderr]) stream.write(`\0${code}\n`);
});
process.on('disconnect', () => process.exit());
const ownResources = process.getActiveResourcesInfo().length;

/** By a timer that does not count as a resource. */
function turn() {
  return new Promise((resolve) => setTimeout(resolve, 1).unref());
}

function become({ main, args, env, cwd, input }) {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, main, ...args];
  process.chdir(cwd);
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
}
