// `npm run docs:screenshots`: puts the pictures that the browser tests took into the documentation, and beside those that a
// document shows the text they have, by which the browser tests see when they are old.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const taken = join(repository, '.cache/screenshots');
const kept = join(repository, 'docs/images/console');

if (!existsSync(taken)) {
  console.error('no screenshots yet; take them first: npm run test:browser');
  process.exit(1);
}
mkdirSync(kept, { recursive: true });
const documents = ['README.md', 'docs/web-console.md']
  .map((path) => readFileSync(join(repository, path), 'utf8'))
  .join();
const files = readdirSync(taken);
const names = files.filter((file) => file.endsWith('.png')).map((file) => file.slice(0, -'.png'.length));
for (const name of names) {
  copyFileSync(join(taken, `${name}.png`), join(kept, `${name}.png`));
  const isShown = documents.includes(`images/console/${name}.png`);
  if (isShown && files.includes(`${name}.txt`)) copyFileSync(join(taken, `${name}.txt`), join(kept, `${name}.txt`));
}
console.log(`${names.length} screenshots in docs/images/console`);
