// Checks the content of a packed package: only files that its users need, and every dependency that its code imports.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../build/workspace.mjs';

const shipped =
  /^(package\.json|README\.md|LICENSE|bin\/portico[\w-]*\.mjs|dist\/.+\.(js|js\.map|d\.ts)|dist\/[\w-]+\.cjs|dist\/THIRD-PARTY-LICENSES\.txt|dist\/sbom\.cdx\.json|dist\/app\/.+|model\/(en\.bin|ATTRIBUTION\.md))$/;
const internal = /\.(test|e2e)\.|(^|\/)(testing|fixtures)\//;

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** @param folder the unpacked package @param projectFolder its folder in the workspace */
export function contentProblems(folder, manifest, projectFolder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const read = (file) => readFileSync(join(folder, file), 'utf8');
  return [
    ...files
      .filter((file) => !shipped.test(file) || internal.test(file))
      .map((file) => `${file}: is not to be shipped`),
    ...['README.md', 'LICENSE'].filter((file) => !files.includes(file)).map((file) => `${file}: is missing`),
    ...licenceProblems(files, read),
    ...files.filter((file) => file.endsWith('.map')).flatMap((file) => mapProblems(file, JSON.parse(read(file)))),
    ...binProblems(files, read, manifest),
    ...undeclared(files, read, manifest),
    ...repositoryProblems(manifest, projectFolder),
    ...(manifest.publishConfig?.access === 'public' ? [] : ['package.json: needs publishConfig.access "public"']),
  ];
}

function licenceProblems(files, read) {
  const isOurs = !files.includes('LICENSE') || read('LICENSE') === readFileSync(join(root, 'LICENSE'), 'utf8');
  return isOurs ? [] : ['LICENSE: is not the text of the workspace'];
}

function repositoryProblems(manifest, directory) {
  const { type, url, directory: named } = manifest.repository ?? {};
  if (type === 'git' && url === repository.url && named === directory) return [];
  return [`package.json: needs repository with url "${repository.url}" and directory "${directory}"`];
}

/** Sources are not shipped as files, so a map has to hold them. */
function mapProblems(file, { sources, sourcesContent = [] }) {
  const isWhole = sources.every((_, index) => typeof sourcesContent[index] === 'string');
  return isWhole ? [] : [`${file}: names sources that are not in it`];
}

function binProblems(files, read, { bin = {} }) {
  return Object.values(bin)
    .filter((file) => !files.includes(file) || !read(file).startsWith('#!/usr/bin/env node\n'))
    .map((file) => `${file}: is a bin and needs a first line that names node`);
}

/** A dependency that only the workspace has makes a package that only works there. */
function undeclared(files, read, { name, dependencies = {}, peerDependencies = {} }) {
  const declared = new Set([name, ...Object.keys(dependencies), ...Object.keys(peerDependencies), ...builtinModules]);
  const imported = files
    .filter((file) => file.endsWith('.js') && !file.startsWith('dist/app/'))
    .flatMap((file) => ts.preProcessFile(read(file), true, true).importedFiles.map(({ fileName }) => fileName))
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(imported)]
    .filter((module) => !declared.has(module))
    .map((module) => `${module}: is imported and not among the dependencies`);
}
