// Lock files name packages and their digests, never the address they were downloaded from.
import { readFileSync } from 'node:fs';

const files = [
  'package-lock.json',
  'tools/node-versions/nodes/package-lock.json',
  'tools/interop/servers/npm/package-lock.json',
];
const problems = files.flatMap(problemsOf);

function problemsOf(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (entry.link === true || !path.includes('node_modules/')) return [];
    if (/^\w+:\/\//.test(entry.resolved ?? '')) return [`${file}: ${path}: holds the address ${entry.resolved}`];
    return entry.integrity === undefined && entry.inBundle !== true
      ? [`${file}: ${path}: has no integrity digest`]
      : [];
  });
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\nrun there: npm install --omit-lockfile-registry-resolved\n`);
  process.exit(1);
}
