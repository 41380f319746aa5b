// Unit tests run from source, so that they need no build; e2e tests start the built apps.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = dirname(fileURLToPath(import.meta.url));

// Settings of users for their own programs are no part of a test: Portico reads the first, its output follows the
// others.
for (const name of ['RUST_LOG', 'FORCE_COLOR', 'NO_COLOR']) delete process.env[name];

function sourceAliases(): Record<string, string> {
  const folders = ['packages/pure', 'packages/io', 'packages/facade', 'packages'].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(root, parent, entry.name)),
  );
  const aliases: Record<string, string> = {};
  for (const folder of folders) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      // Longer names first: the first one that a path begins with counts.
      for (const subpath of Object.keys(manifest.exports ?? {}).filter((path) => /^\.\/[\w-]+$/.test(path)))
        aliases[manifest.name + subpath.slice(1)] = join(folder, 'src', `${subpath.slice(2)}.ts`);
      aliases[manifest.name] = join(folder, 'src/index.ts');
    } catch {
      // A ring folder without a manifest of its own, such as packages/pure.
    }
  }
  return aliases;
}

/** Tests of what was built. */
function builtProject(name: string, include: string) {
  return {
    resolve: { alias: sourceAliases() },
    test: {
      name,
      include: [include],
      // The files of a worker share the built daemon that they load; setup.ts ends what each file has opened.
      isolate: false,
      setupFiles: ['tools/e2e/src/support/setup.ts'],
      server: { deps: { external: [/\/dist\//] } },
      // Only limits, for what would never end: a test may share a slow machine with many others.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      includeTaskLocation: true, // a failure without a frame in its file names the line of its test
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: sourceAliases() },
        test: {
          name: 'unit',
          // Modules keep no state and are not mocked, so the files of a worker share their imports.
          isolate: false,
          // Only limits, for what would never end: a test may share a slow machine with many others.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          includeTaskLocation: true,
          expect: { poll: { timeout: 30_000 } },
          include: [
            'packages/**/src/**/*.test.ts',
            'apps/**/src/**/*.test.ts',
            'tools/**/src/**/*.test.ts',
            'tools/build/*.test.mjs',
          ],
        },
      },
      builtProject('e2e', 'tools/e2e/src/**/*.e2e.ts'),
      builtProject('browser', 'tools/e2e/src/**/*.browser.ts'),
      builtProject('conformance', 'tools/conformance/src/**/*.e2e.ts'),
      builtProject('fuzz', 'tools/fuzz/src/**/*.e2e.ts'),
    ],
  },
});
