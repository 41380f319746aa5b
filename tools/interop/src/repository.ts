// Where this repository is.
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Downloads and builds of the run: made again if they are missing. */
export const cacheFolder = fileURLToPath(new URL('../../../.cache/interop/', import.meta.url));
