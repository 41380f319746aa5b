// Builds the browser app into dist/app: hashed file names, a gzipped copy beside each text, and a limit on the whole.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const outDir = join(import.meta.dirname, 'dist/app');

/** Bytes of all that a browser may load, gzipped. */
const maxBytes = 300 * 1024;

export default defineConfig({
  root: join(import.meta.dirname, 'src/app'),
  base: '/ui/',
  logLevel: 'warn',
  plugins: [compress()],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // the first with light-dark()
    assetsInlineLimit: 0, // the content security policy allows no inline code
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      onLog(level, log, pass) {
        // Libraries mark what is for browsers only; here everything is. Digests are not used here, and left out.
        const isExpected =
          log.code === 'MODULE_LEVEL_DIRECTIVE' ||
          /"crypto" .* canonical-json|canonical-json.*"crypto"|"crypto" has been externalized/.test(log.message);
        if (!isExpected) pass(level, log);
      },
    },
  },
});

function compress(): Plugin {
  return {
    name: 'portico-compress',
    closeBundle() {
      let total = 0;
      const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => /\.(html|js|css|svg)$/.test(each))) {
        const file = join(outDir, name);
        const packed = gzipSync(readFileSync(file), { level: 9 });
        writeFileSync(`${file}.gz`, packed);
        total += packed.length;
      }
      const size = `${(total / 1024).toFixed(1)} KB gzipped, of at most ${maxBytes / 1024} KB`;
      process.stdout.write(`web console: ${size}\n`);
      if (total > maxBytes) throw new Error(`the web console is too large: ${size}; load less, or load it later`);
    },
  };
}
