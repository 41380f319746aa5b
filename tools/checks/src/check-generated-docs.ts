// Fails when a generated document is not what the code makes of it now.
import { existsSync, readFileSync } from 'node:fs';
import { generatedDocuments } from './generated-docs.js';

const stale = generatedDocuments.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
if (stale.length > 0) {
  process.stderr.write(`out of date: ${stale.map(({ file }) => file).join(', ')}; run: npm run docs:generate\n`);
  process.exit(1);
}
