// The licences of what is bundled: whoever hands on the code of others hands on theirs.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOfPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;

/** @param inputs files that were bundled @throws Error for a package without a licence */
export function writeLicences(folder, inputs) {
  const folders = inputs.flatMap((file) => folderOfPackage.exec(file)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map(licenceOf);
  if (texts.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), texts.join('\n\n'));
}

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((found) => /^licen[cs]e(\.\w+)?$/i.test(found));
  if (file === undefined) throw new Error(`${name} ${version} is bundled and has no licence in ${folder}`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
