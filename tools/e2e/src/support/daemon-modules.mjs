// The daemon from its modules, not from the script that they are bundled into: there, functions tell whose they are.
import { runDaemon } from '../../../../apps/daemon/dist/index.js';

await runDaemon(process.argv.slice(2));
