// `npm run docs:generate`: writes the documents that are made from the code.
import { writeFileSync } from 'node:fs';
import { generatedDocuments } from './generated-docs.js';

for (const { file, text } of generatedDocuments) {
  writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}
