// The licences of packages that are bundled: they are shipped with the code.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const name = 'THIRD-PARTY-LICENSES.txt';
const folderOfPackage = /^.*node_modules\/(@[^/]+\/)?[^/]+/;
const distOfProduct = /^(.*(?:packages|apps)\/.*\/dist)\/[^/]+$/;
const separator = `\n${'-'.repeat(80)}\n\n`;

/** @param inputs files that were bundled, of which some were made of others @throws Error for a package without a licence */
export function writeLicences(folder, inputs) {
  const folders = inputs.flatMap((file) => folderOfPackage.exec(file)?.[0] ?? []);
  const made = inputs.flatMap((file) => distOfProduct.exec(file)?.[1] ?? []);
  const texts = [...[...new Set(folders)].map(licenceOf), ...[...new Set(made)].flatMap(licencesIn)];
  if (texts.length === 0) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), [...new Set(texts)].sort().join(separator));
}

function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((found) => /^licen[cs]e(\.\w+)?$/i.test(found));
  if (file === undefined) throw new Error(`${name} ${version} is bundled and has no licence in ${folder}`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

function licencesIn(dist) {
  const file = join(dist, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split(separator) : [];
}
