// The language check: which parts of a file are prose, and which phrases it reports there.
import { describe, expect, it } from 'vitest';
import { findPhrases } from '../find-phrases.mjs';
import { proseOf } from '../prose.mjs';

const phrases = [
  { match: 'nobody', instead: 'no client' },
  { match: 'for as long as', instead: 'while' },
  { match: 'What|Of what', instead: 'begin with the subject', opens: true },
];

/** Each phrase found, with its line. */
function hitsIn(file: string, source: string): readonly string[] {
  return findPhrases(proseOf(file, source), phrases).map(({ at, text }) => {
    const line = source.slice(0, at).split('\n').length;
    return `${line} ${text.trim().replace(/\s+/g, ' ')}`;
  });
}

describe('a program', () => {
  it('has prose in its comments and messages', () => {
    const source = [
      '// Nobody',
      '/** Kept for as',
      ' * long as it runs. */',
      "const nobody = 'nobody came';",
      'const text = `a ${nobody} b: nobody there`;',
    ];
    expect(hitsIn('a.ts', source.join('\n'))).toEqual(['1 Nobody', '2 for as long as', '4 nobody', '5 nobody']);
  });

  it('has none in names, single words, patterns, and code in comments', () => {
    const source = "import { nobody } from 'nobody';\nconst pattern = /nobody came/; // `nobody`\n";
    expect(hitsIn('a.ts', source)).toEqual([]);
  });

  it('is read by its titles and comments where it is a test', () => {
    const source =
      "it('asks nobody', () => {\n  say('nobody came'); // nobody\n});\ntest.each([1])(`nobody $x`, () => {});\n";
    expect(hitsIn('a.test.ts', source)).toEqual(['1 nobody', '2 nobody', '4 nobody']);
  });

  it('has text between its tags', () => {
    expect(hitsIn('a.tsx', 'const view = (\n  <p>Nobody // came</p>\n);\n')).toEqual(['2 Nobody']);
  });
});

describe('a page', () => {
  it('has prose outside of code and links', () => {
    const source = '# Nobody\n\n`nobody` and [a link](nobody.md)\nfor nobody\n\n```sh\nnobody\n```\n';
    expect(hitsIn('a.md', source)).toEqual(['1 Nobody', '4 nobody']);
  });
});

describe('the opening of a sentence', () => {
  it('is reported at the start, behind another sentence and behind a tag', () => {
    const source = '/**\n * What it holds. Of what kind.\n * @param x What it is\n */\n';
    expect(hitsIn('a.ts', source)).toEqual(['2 What', '2 Of what', '3 What']);
  });

  it('is no finding in a question, a heading, or a cell of its own', () => {
    expect(hitsIn('a.md', '## What it does\n\nWhat is it? See what it does.\n\n| Export | What |\n')).toEqual([]);
  });
});
