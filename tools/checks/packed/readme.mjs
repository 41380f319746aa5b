// The README of a packed package: it says how to install it, and its one example is run and compared with the output
// that it states. A line `…` of that output matches any number of lines. Its types are checked with those of the
// guides.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const limitMs = 60_000;

/** @param home an empty package that has installed this one */
export function readmeProblems(home, manifest) {
  const file = join(home, 'node_modules', manifest.name, 'README.md');
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, body]) => ({ language, body }));
  const [install, example, output] = blocks;
  const problems = [
    ...(text.startsWith(`# ${manifest.name}\n`) ? [] : [`has to begin with "# ${manifest.name}"`]),
    ...(isInstall(install, manifest.name) ? [] : [`its first block has to be \`npm install ${manifest.name}\``]),
    ...(output?.language === 'text'
      ? []
      : ['its second block has to be an example (ts or sh), its third what it prints']),
  ];
  if (problems.length === 0) problems.push(...exampleProblems(home, manifest, example, output.body));
  return problems.map((problem) => `README.md: ${problem}`);
}

function isInstall(block, name) {
  return block?.language === 'sh' && `${block.body.trim()} `.startsWith(`npm install ${name} `);
}

function exampleProblems(home, manifest, { language, body }, expected) {
  if (language === 'sh') return commandProblems(home, manifest, body.trim(), expected);
  if (language !== 'ts') return [`an example is ts or sh, not ${language}`];
  if (!body.includes(`'${manifest.name}'`)) return [`the example does not import ${manifest.name}`];
  const { outputText } = ts.transpileModule(body, { compilerOptions: { target: 'ES2022', module: 'ESNext' } });
  writeFileSync(join(home, 'example.mjs'), outputText);
  return outcomeProblems(home, [join(home, 'example.mjs')], expected);
}

/** `npx --no-install <bin> …`: what a user types runs the packed file, and npx never installs another. */
function commandProblems(home, { name, bin = {} }, command, expected) {
  const [npx, flag, program, ...args] = command.split(' ');
  if (npx !== 'npx' || flag !== '--no-install' || bin[program] === undefined) {
    return [`"${command}" has to be npx --no-install and a bin of the package`];
  }
  return outcomeProblems(home, [join(home, 'node_modules', name, bin[program]), ...args], expected);
}

/**
 * Runs a program and compares what it prints.
 * @param {string} home working directory @param {string[]} argv of Node @param {string} expected output, `…` for any lines
 */
export function outcomeProblems(home, argv, expected) {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  const options = { cwd: home, env, encoding: 'utf8', timeout: limitMs };
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, options);
  if (status !== 0) return [`the example ends with ${status}:\n${stderr}`];
  return matches(stdout, expected) ? [] : [`the example prints\n${stdout}where it says\n${expected}`];
}

function matches(printed, expected) {
  const pattern = expected
    .split(/^…\n/m)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('(?:.*\\n)*');
  return new RegExp(`^${pattern}$`).test(printed);
}
