// `npm run docs:screenshots`: puts the pictures that the browser tests took into the documentation.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const taken = join(repository, '.cache/screenshots');
const kept = join(repository, 'docs/images/console');

if (!existsSync(taken)) {
  console.error('no screenshots yet; run: npx vitest run --project e2e console');
  process.exit(1);
}
mkdirSync(kept, { recursive: true });
const names = readdirSync(taken).filter((name) => name.endsWith('.png'));
for (const name of names) copyFileSync(join(taken, name), join(kept, name));
console.log(`${names.length} screenshots in docs/images/console`);
