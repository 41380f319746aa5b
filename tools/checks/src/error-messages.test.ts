// The texts of the product's errors, read from its sources: each names the thing and, where there is one, the limit and the
// next step. It cannot judge texts that are put together elsewhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../../build/workspace.mjs';
import { findPhrases } from '../find-phrases.mjs';
import { productFiles } from '../product-files.mjs';

/** Classes whose message a user, an operator or a caller reads. */
const classes = new Set([
  'AddressError',
  'AiClientError',
  'AuditFileError',
  'CallFailure',
  'CommandFailure',
  'ConfigError',
  'EmbedderError',
  'ListenError',
  'LockError',
  'NewerSchemaError',
  'OAuthFailure',
  'PorticoError',
  'SamplingProviderError',
  'StateDirectoryError',
  'StorageError',
  'UsageFailure',
]);

interface Raised {
  readonly place: string;
  readonly className: string;
  /** The code of a CallFailure or PorticoError. */
  readonly code: string | undefined;
  /** With `${}` in place of each value. */
  readonly text: string;
}

const { phrases } = JSON.parse(readFileSync(join(root, 'tools/checks/words.json'), 'utf8'));
const raised = productFiles().flatMap(raisedIn);

function raisedIn(file: string): Raised[] {
  const tree = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Raised[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && classes.has(node.expression.getText())) {
      const texts = (node.arguments ?? []).map(textOf);
      const code = texts.find((text) => text !== undefined && /^[A-Z_]+$/.test(text));
      const text = texts.find((given) => given !== undefined && given !== code && given.includes(' '));
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (text !== undefined)
        found.push({ place: `${file}:${line}`, className: node.expression.getText(), code, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Also of a message within the issues of a configuration. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('');
  return undefined;
}

const listed = (wrong: readonly Raised[]) => wrong.map(({ place, text }) => `${place} ${text}`);

describe('the message of an error', () => {
  it('is found in the sources', () => {
    expect(raised.length).toBeGreaterThan(100);
  });

  it('names the thing: by a value, a flag, a field, or as "the ..."', () => {
    const names = /\$\{\}|--\w|"|\b(the|a|an) \w|\w\.\w|\w_\w|\w+:/;
    expect(listed(raised.filter(({ text }) => !names.test(text)))).toEqual([]);
  });

  it('quotes the id that was not found', () => {
    const missing = raised.filter(({ code }) => code?.endsWith('_NOT_FOUND') === true);
    expect(missing.length).toBeGreaterThan(10);
    expect(listed(missing.filter(({ text }) => !text.includes('"${}"')))).toEqual([]);
  });

  it('gives the limit that is exceeded', () => {
    const exceeding = raised.filter(({ text }) => /\b(longer|deeper|more|larger) than\b/.test(text));
    expect(listed(exceeding.filter(({ text }) => !/than (\$\{\}|\d)/.test(text)))).toEqual([]);
  });

  it('has a next step where a limit of the caller refuses', () => {
    const refused = raised.filter(({ code, text }) => code === 'POLICY_DENIED' && text.includes('${}'));
    expect(listed(refused.filter(({ text }) => !text.includes('; ')))).toEqual([]);
  });

  it('has a next step, or the expected form, where the user has typed something wrong', () => {
    const next =
      /; |: |^--\$\{\} \$\{\}$|expected|\bgive\b|\bname\b|goes with|exclude each other|\bis for\b|Accepted are/;
    const usage = raised.filter(({ className }) => className === 'UsageFailure');
    expect(listed(usage.filter(({ text }) => !next.test(text)))).toEqual([]);
  });

  it('begins in lower case unless with a name, and has no full stop at its end', () => {
    const isPlain = ({ text }: Raised) => /^([^A-Z]|[A-Z]{2,}|[A-Z]\w*[A-Z])/.test(text) && !/[^.][.!]$/.test(text);
    expect(listed(raised.filter((one) => !isPlain(one)))).toEqual([]);
  });

  it('is plain English', () => {
    expect(raised.filter(({ text }) => findPhrases([{ text, start: 0 }], phrases).length > 0)).toEqual([]);
  });
});
