// `npm run docs:generate`: writes the documents that are made from the code, and removes those that no longer are.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedDocuments, obsoleteDocuments } from './generated-docs.js';

for (const { file, text } of generatedDocuments) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}
for (const file of obsoleteDocuments()) rmSync(file);
