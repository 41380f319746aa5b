// Builds the browser app into dist/app: hashed file names, a gzipped copy beside each text, and a limit on the first page.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const outDir = join(import.meta.dirname, 'dist/app');

/** Bytes that a browser loads for the first page, gzipped. */
const maxFirstBytes = 300 * 1024;

/** The page that is shown at `/ui`; all others are loaded when they are first opened. */
const firstPage = 'overview-page';

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
  let first: ReadonlySet<string> = new Set();
  return {
    name: 'portico-compress',
    writeBundle(_options, bundle) {
      first = filesOfFirstPage(bundle);
    },
    closeBundle() {
      let [total, firstTotal] = [0, 0];
      const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => /\.(html|js|css|svg)$/.test(each))) {
        const file = join(outDir, name);
        const packed = gzipSync(readFileSync(file), { level: 9 });
        writeFileSync(`${file}.gz`, packed);
        total += packed.length;
        if (first.has(name)) firstTotal += packed.length;
      }
      const size = `${toKb(firstTotal)} KB gzipped for the first page, of at most ${maxFirstBytes / 1024} KB`;
      process.stdout.write(`web console: ${size}; ${toKb(total)} KB for all pages\n`);
      if (firstTotal > maxFirstBytes || firstTotal === 0)
        throw new Error(`the first page of the web console is too large: ${size}; load less, or load it later`);
    },
  };
}

/** The entry and the first page with all that they import, and their styles. */
function filesOfFirstPage(bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const files = new Set(['index.html']);
  const add = (name: string): void => {
    const chunk = bundle[name];
    if (files.has(name) || chunk?.type !== 'chunk') return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const imported of chunk.imports) add(imported);
  };
  for (const chunk of Object.values(bundle))
    if (chunk.type === 'chunk' && (chunk.isEntry || chunk.name === firstPage)) add(chunk.fileName);
  return files;
}

function toKb(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
