// Where this repository is.
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** What is downloaded and built for the run: it is made again where it is missing. */
export const cacheFolder = fileURLToPath(new URL('../../../.cache/interop/', import.meta.url));
