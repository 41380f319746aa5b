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
  onReady(url, { consoleUrl }) {
    process.stdout.write(
      `Console: ${consoleUrl()}    (opens once, within ten minutes; another: ./portico ui ${place(argv)})\n`,
    );
    process.stdout.write(`Try: curl -s ${url}/v1/capabilities    (Ctrl-C stops it)\n`);
  },
});

/** The flags that tell the portico command which daemon this is. */
function place(flags) {
  const own = flags.flatMap((flag, index) => {
    if (/^--(config|state-dir)=/.test(flag)) return [flag];
    return flag === '--config' || flag === '--state-dir' ? [flag, flags[index + 1] ?? ''] : [];
  });
  return own.map((word) => (/^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
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
