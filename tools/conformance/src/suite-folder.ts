// Where the suite is installed; it has no exports to import it by.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

export const suiteFolder = join(repository, 'node_modules/@modelcontextprotocol/conformance');
