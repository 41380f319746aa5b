// Comments, messages, test titles and Markdown are in plain technical English: `words.json` lists the phrases to avoid and
// what to write instead. A folder in its `notYetClean` may still have some; it leaves that list when it has none.
// `node tools/checks/check-words.mjs [FOLDER...]` lists the phrases of these folders, whether they are in that list or not.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build/workspace.mjs';
import { findPhrases } from './find-phrases.mjs';
import { proseOf } from './prose.mjs';

const { phrases, notYetClean, notProse } = JSON.parse(readFileSync(join(root, 'tools/checks/words.json'), 'utf8'));
const folders = process.argv.slice(2);

const found = listFiles().flatMap((file) => {
  const source = readFileSync(join(root, file), 'utf8');
  return findPhrases(proseOf(file, source), phrases).map(({ at, text, instead }) => ({
    file,
    line: source.slice(0, at).split('\n').length,
    text: text.trim().replace(/\s+/g, ' '),
    instead,
  }));
});
const problems = folders.length > 0 ? found.map(toLine) : ratchetProblems();
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1; // not `exit`: a pipe may take the lines slowly
}

function listFiles() {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate', ...folders], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return list
    .split('\n')
    .filter((file) => /\.(tsx?|mjs|md)$/.test(file))
    .filter((file) => !notProse.some((path) => isInside(file, path)));
}

function ratchetProblems() {
  const clean = notYetClean.filter((folder) => !found.some(({ file }) => isInside(file, folder)));
  return [
    ...found.filter(({ file }) => !notYetClean.some((folder) => isInside(file, folder))).map(toLine),
    ...clean.map((folder) => `tools/checks/words.json: ${folder} is clean; remove it from notYetClean`),
  ];
}

function isInside(file, folder) {
  return file === folder || file.startsWith(`${folder}/`);
}

function toLine({ file, line, text, instead }) {
  return `${file}:${line}: "${text}": ${instead}`;
}
