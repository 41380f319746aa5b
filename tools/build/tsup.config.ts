// The one bundler configuration of every package and app. Declarations come from tsc, not from here.
import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

const entry = ['src/index.ts', 'src/main.ts', 'src/place.ts'].filter((file) => existsSync(file));

export default defineConfig({
  entry,
  format: 'esm',
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
  silent: true,
});
