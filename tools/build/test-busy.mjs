// `npm run test:busy`: `npm test` while two other processes keep two processors busy at normal priority.
import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';

const busy = 2;
const burstMs = 50;

if (process.argv[2] === '--burn') burn();
else test();

/** Computes until its parent has ended, which it checks between two bursts. */
function burn() {
  process.on('disconnect', () => process.exit());
  const again = () => {
    for (const until = performance.now() + burstMs; performance.now() < until; );
    setImmediate(again);
  };
  again();
}

function test() {
  const burners = Array.from({ length: busy }, () => fork(fileURLToPath(import.meta.url), ['--burn']));
  const child = spawn(process.execPath, ['tools/build/test.mjs'], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => {
    for (const burner of burners) burner.disconnect();
    process.exitCode = code ?? 1;
  });
}
