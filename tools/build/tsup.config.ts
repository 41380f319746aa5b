// The one bundler configuration of every package and app. Declarations come from tsc, not from here.
import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

const entry = existsSync('src/main.ts') ? 'src/main.ts' : 'src/index.ts';

export default defineConfig({
  entry: [entry],
  format: 'esm',
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
  silent: true,
});
