// The text of an entry that a model reads.
import { expect, test } from 'vitest';
import { toEmbeddingText } from './index.js';

const document = {
  id: 'github.createPullRequest',
  server: 'github',
  tool: 'createPullRequest',
  summary: 'Opens a pull request',
  description: 'Opens a pull request. Reviewers are told.',
  tags: ['github'],
  argumentNames: ['base_branch', 'title'],
  mode: 'write',
} as const;

test('is its names as words, its description and its arguments', () => {
  expect(toEmbeddingText(document)).toBe(
    'github: create pull request\nOpens a pull request. Reviewers are told.\narguments: base branch, title',
  );
});

test('has the alias and the summary where they say something else', () => {
  expect(toEmbeddingText({ ...document, id: 'propose-change', summary: 'Propose it', argumentNames: [] })).toBe(
    'github: create pull request (propose change)\nPropose it\nOpens a pull request. Reviewers are told.',
  );
});

test('is bounded', () => {
  const argumentNames = Array.from({ length: 1000 }, (_, at) => `a${at}`);
  const text = toEmbeddingText({ ...document, description: 'x'.repeat(100_000), argumentNames });
  expect(text.length).toBeLessThan(2_500);
});
