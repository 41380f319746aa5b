// Where the workspace is, for every script of it; and the Node that they need, said before anything else is loaded.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Portico needs Node 20.19 or later; this is ${process.version}. Install a newer Node.\n`);
  process.exit(1);
}

/** Path of a tool's own JavaScript, so that it starts without npx or a shell. */
export function bin(path) {
  return join(root, 'node_modules', path);
}
