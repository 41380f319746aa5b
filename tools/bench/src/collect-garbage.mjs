// Preloaded into a daemon whose memory is measured: at SIGUSR2 it collects all of its garbage. Nothing else differs from a
// daemon without it, V8's flags included.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
setFlagsFromString('--no-expose-gc');

process.on('SIGUSR2', () => {
  collect();
  collect(); // what the first one has finalized
});
