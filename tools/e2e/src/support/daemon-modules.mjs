// The daemon from its modules, not from the script that they are bundled into: there, functions show their package.
import { runDaemon } from '../../../../apps/daemon/dist/index.js';

await runDaemon(process.argv.slice(2));
