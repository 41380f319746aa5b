// The one bundler configuration of every package and app. Declarations come from tsc, not from here.
import { existsSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { writeLicences } from './licences.mjs';

// An app with a process has that bundled, and its main.ts with it (bundle-process.mjs).
const files = existsSync('src/process.ts') ? ['index'] : ['index', 'main', 'place', 'launch', 'word-diff'];
const entry = files.map((name) => `src/${name}.ts`).filter((file) => existsSync(file));

/**
 * Packages of hundreds of small modules, each of which Node would find, read and compile at every start of a process.
 */
const bundled = ['ajv', 'cockatiel', 'hono', 'jose', 'kysely'];

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const licences: Plugin = {
  name: 'licences',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => writeLicences('dist', Object.keys(metafile?.inputs ?? {})));
  },
};

export default defineConfig({
  entry,
  format: 'esm',
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
  silent: true,
  noExternal: bundled,
  esbuildPlugins: [licences],
});
