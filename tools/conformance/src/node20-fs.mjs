// Preload for the conformance suite on Node 20: gives its imports of `fs` the `globSync` that came with Node 22.
// The suite links against that name in a command which nothing here runs; any other module keeps the real `fs`.
import { register } from 'node:module';

register('./node20-fs-hooks.mjs', import.meta.url);
