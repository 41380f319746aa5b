// The lock file names packages and their digests, never the address they were downloaded from.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const problems = Object.entries(packages).flatMap(([path, entry]) => {
  if (entry.link === true || !path.includes('node_modules/')) return [];
  if (/^\w+:\/\//.test(entry.resolved ?? '')) return [`${path}: holds the download address ${entry.resolved}`];
  return entry.integrity === undefined && entry.inBundle !== true ? [`${path}: has no integrity digest`] : [];
});
if (problems.length > 0) {
  process.stderr.write(
    `package-lock.json:\n${problems.join('\n')}\nrun: npm install --omit-lockfile-registry-resolved\n`,
  );
  process.exit(1);
}
