// The documents of the repository, by their paths from its root.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchors } from './markdown.js';
import { repository } from './repository.js';

/** The text of a file. */
export const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** Anchors of files that were read: a large document has thousands of links to itself. */
const known = new Map<string, ReadonlySet<string>>();

function anchorsOf(file: string): ReadonlySet<string> {
  const found = known.get(file) ?? anchors(readFileSync(file, 'utf8'));
  known.set(file, found);
  return found;
}

/** Whether a document's link leads to a file, and to a heading in it where it names one. */
export function isThere(document: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? join(repository, document) : join(repository, dirname(document), target);
  if (!existsSync(file)) return false;
  return anchor === undefined || anchorsOf(file).has(anchor);
}

/** All Markdown files below a folder, without those of installed packages and builds. */
export function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(path))
    .map((path) => join(folder, path));
}
