// The examples as a stranger runs them: from an empty folder in which the packed packages are installed. Each README says what
// its program prints; its types are checked with those of the tests.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../build/workspace.mjs';
import { outcomeProblems } from './readme.mjs';

const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };

/** @returns {string[]} names of the folders in `examples` */
export function exampleNames() {
  return readdirSync(join(root, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);
}

/**
 * @param {string} home a folder with the packed packages in its `node_modules`
 * @param {string} name folder of the example
 * @returns {string[]} what is wrong; empty if it prints what it says
 */
export function exampleProblems(home, name) {
  const source = join(root, 'examples', name);
  const folder = join(home, 'examples', name);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(source)) {
    if (file.endsWith('.ts')) compile(join(source, file), join(folder, file.replace(/\.ts$/, '.js')));
    else if (file !== 'node_modules') cpSync(join(source, file), join(folder, file), { recursive: true });
  }
  const [, expected] =
    /^It prints:\n\n```text\n([\s\S]*?)^```$/m.exec(readFileSync(join(source, 'README.md'), 'utf8')) ?? [];
  if (expected === undefined) return [`examples/${name}/README.md: needs "It prints:" and a block of text`];
  return outcomeProblems(folder, ['main.js'], expected).map((problem) => `examples/${name}: ${problem}`);
}

function compile(from, to) {
  writeFileSync(to, ts.transpileModule(readFileSync(from, 'utf8'), { compilerOptions }).outputText);
}
