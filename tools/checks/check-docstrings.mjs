// Every value that a package exports from a public entry has a docstring.
import { root } from '../build/workspace.mjs';
import { publicEntries, publicValues } from './docstrings.mjs';
import { listProjects } from './projects.mjs';

const values = publicValues(root, listProjects().flatMap(publicEntries));
const missing = values.filter(({ isDocumented }) => !isDocumented);
process.stdout.write(`${values.length - missing.length} of ${values.length} exported values have a docstring\n`);
if (missing.length > 0) {
  const lines = missing.map(
    ({ entry, name, place }) =>
      `${place}: ${name}, exported by ${entry}, has no docstring; say what it does, shapes and units, and errors`,
  );
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}
