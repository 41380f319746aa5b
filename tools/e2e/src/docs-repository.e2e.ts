// The files, scripts and links that the guides for contributors and the READMEs of packages name exist.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isThere, markdownIn, read } from './support/documents.js';
import { relativeLinks, repositoryLinks } from './support/markdown.js';
import { repository } from './support/repository.js';

describe('the READMEs of packages', () => {
  const { repository: place } = JSON.parse(read('package.json'));
  const readmes = [...markdownIn('packages'), ...markdownIn('apps')].filter((path) => path.endsWith('README.md'));

  it.each(readmes)('%s has links that work from a tarball', (path) => {
    const links = repositoryLinks(read(path), place.url);
    const notShipped = relativeLinks(read(path)).filter((link) => link.startsWith('../'));
    expect([notShipped, links.filter((link) => !isThere('README.md', link))]).toEqual([[], []]);
  });
});

describe('the guide for contributors', () => {
  const guide = read('CONTRIBUTING.md');
  const paths = [...guide.matchAll(/`((?:packages|apps|tools|docs|examples)(?:\/[\w.-]+)*)`/g)].map(
    ([, path = '']) => path,
  );

  it('names files and folders that exist', () => {
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });

  it('names scripts and programs that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const names = [...guide.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !(name in scripts) && name !== 'npm')).toEqual([]);
    const programs = [...guide.matchAll(/node (tools\/[\w/.-]+)/g)].map(([, path = '']) => path);
    expect(programs.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });
});
