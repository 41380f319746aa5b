// Runs a TypeScript tool of this workspace: `node tools/build/run.mjs tools/bench/src/main.ts [arguments]`.
import { spawn } from 'node:child_process';
import { buildWhatIsStale, installWhatIsMissing, root } from './workspace.mjs';

installWhatIsMissing();
buildWhatIsStale();

const child = spawn(process.execPath, ['--import', 'tsx', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
