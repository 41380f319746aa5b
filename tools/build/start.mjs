// `npm start`: installs and builds what is needed, then runs the daemon in this process, so that no process is between.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWhatIsStale, installWhatIsMissing, root } from './workspace.mjs';

const argv = process.argv.slice(2).map(fromCallersFolder);
if (!argv.some((flag) => flag === '--config' || flag.startsWith('--config='))) {
  argv.push('--config', demoConfig());
}

installWhatIsMissing();
buildWhatIsStale();
process.chdir(root);

const { runDaemon } = await import(pathToFileURL(resolve(root, 'apps/daemon/dist/index.js')).href);
await runDaemon(argv, {
  onReady(_url, { consoleUrl }) {
    process.stderr.write(`Console: ${consoleUrl()}  Configuration: ${configOf(argv)}\n`); // the ready line has stdout
  },
});

/** As the daemon reads it: of several flags the last counts. */
function configOf(flags) {
  const at = flags.findLastIndex((flag) => flag === '--config' || flag.startsWith('--config='));
  return flags[at].startsWith('--config=') ? flags[at].slice('--config='.length) : flags[at + 1];
}

/** A copy of the example: what is changed while it runs is written to the file. */
function demoConfig() {
  const file = resolve(root, '.cache/portico/mcp_servers.json');
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(resolve(root, 'docs/examples/mcp_servers.json'), file);
  }
  return file;
}

/** npm starts us in the checkout; a relative file is meant from where the user typed the command. */
function fromCallersFolder(argument, index, all) {
  const [, flag, file] = /^(--config=|--state-dir=)(.+)$/.exec(argument) ?? [];
  if (flag !== undefined) return flag + fromHere(file);
  return all[index - 1] === '--config' || all[index - 1] === '--state-dir' ? fromHere(argument) : argument;
}

function fromHere(file) {
  return resolve(process.env.INIT_CWD ?? process.cwd(), file);
}
