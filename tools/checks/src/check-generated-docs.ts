// Fails when a generated document is not what the code makes of it now.
import { existsSync, readFileSync } from 'node:fs';
import { generatedDocuments, obsoleteDocuments } from './generated-docs.js';

const stale = generatedDocuments
  .filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text)
  .map(({ file }) => file);
const problems = [...stale, ...obsoleteDocuments()];
if (problems.length > 0) {
  process.stderr.write(`out of date: ${problems.join(', ')}; run: npm run docs:generate\n`);
  process.exit(1);
}
