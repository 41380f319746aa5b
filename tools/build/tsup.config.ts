// The one bundler configuration of every package and app. Declarations come from tsc, not from here.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Options } from 'tsup';

const entry = ['src/index.ts', 'src/main.ts', 'src/place.ts'].filter((file) => existsSync(file));

/** Of hundreds of small modules, each of which Node would find, read and compile at every start of a process. */
const bundled = ['ajv', 'cockatiel', 'hono', 'jose', 'kysely'];

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Whoever hands on the code of others hands on their licences. */
const licences: Plugin = {
  name: 'licences',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => {
      const folders = Object.keys(metafile?.inputs ?? {}).flatMap((file) => folderOfPackage.exec(file)?.[0] ?? []);
      const texts = [...new Set(folders)].sort().map(licenceOf);
      if (texts.length === 0) return;
      mkdirSync('dist', { recursive: true });
      writeFileSync('dist/THIRD-PARTY-LICENSES.txt', texts.join('\n\n'));
    });
  },
};

const folderOfPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((found) => /^licen[cs]e(\.\w+)?$/i.test(found));
  if (file === undefined) throw new Error(`${name} ${version} is bundled and has no licence in ${folder}`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

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
