// The messages of the errors that the product creates: each names the thing and, if there is one, the limit and the next
// step. See `error-texts.ts` for which of them are found.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../build/workspace.mjs';
import { findPhrases } from '../find-phrases.mjs';
import { type Raised, readErrorTexts } from './error-texts.js';

const { phrases } = JSON.parse(readFileSync(join(root, 'tools/checks/words.json'), 'utf8'));
const raised = readErrorTexts();

/** Classes of problems that belong to a file, a field or a request: the report names it before the text. */
const reasons = new Set([
  'ConfigError',
  'EmbeddingAnswerError',
  'Error',
  'FileProblem',
  'FormatProblem',
  'InvalidConfig',
  'ModelError',
  'NotSent',
  'UnaskableError',
  'UnusableLock',
]);

/** Classes that add the thing, or the file, to the parts that they are given. */
const composing = new Set([
  'AuditUnavailable',
  'EnvironmentError',
  'LockError',
  'NoDaemon',
  'PeerUnresponsive',
  'StateDirectoryInUse',
]);

/** Texts of JSON-RPC 2.0, and sentences that commander puts behind its own. */
const isGiven = ({ className, text }: Raised) =>
  /^(Method not found|Invalid params)/.test(text) || (className === 'InvalidArgumentError' && text.includes('. '));

const listed = (wrong: readonly Raised[]) => wrong.map(({ place, text }) => `${place} ${text}`);

describe('the message of an error', () => {
  it('is found in the sources', () => {
    expect(raised.length).toBeGreaterThan(300);
  });

  it('names the thing: by a value, a flag, a field, or as "the ..."', () => {
    const names = /\$\{\}|--\w|"|\b(the|a|an) \w|\w\.\w|\w_\w|\w+:/;
    const refersBack = /^(it|its|this|was|is|no) \w/;
    const isNamed = ({ className, text }: Raised) =>
      names.test(text) || composing.has(className) || (reasons.has(className) && refersBack.test(text));
    expect(listed(raised.filter((one) => !isNamed(one) && !isGiven(one)))).toEqual([]);
  });

  it('quotes the id that was not found', () => {
    const missing = raised.filter(
      ({ code, text }) => code?.endsWith('_NOT_FOUND') === true && !text.includes(' is off'),
    );
    expect(missing.length).toBeGreaterThan(10);
    expect(listed(missing.filter(({ text }) => !text.includes('"${}"')))).toEqual([]);
  });

  it('gives the limit that is exceeded', () => {
    const exceeding = raised.filter(({ text }) => /\b(longer|deeper|more|larger) than\b/.test(text));
    expect(listed(exceeding.filter(({ text }) => !/than (\$\{\}|\d|the given)/.test(text)))).toEqual([]);
  });

  it('has a next step if a limit of the caller refuses', () => {
    const isOfRule = (text: string) => text.startsWith('policy denies');
    const refused = raised.filter(
      ({ code, text }) => code === 'POLICY_DENIED' && text.includes('${}') && !isOfRule(text),
    );
    expect(listed(refused.filter(({ text }) => !text.includes('; ')))).toEqual([]);
  });

  it('has a next step, or the expected form, if the user has typed something wrong', () => {
    const next =
      /; |: |^--\$\{\} \$\{\}$|expected|\bgive\b|\bname\b|goes with|exclude each other|\bis for\b|Accepted are/;
    const usage = raised.filter(({ className }) => className === 'UsageFailure');
    expect(listed(usage.filter(({ text }) => !next.test(text)))).toEqual([]);
  });

  it('begins in lower case unless with a name, and has no full stop at its end', () => {
    const isPlain = ({ text }: Raised) => /^([^A-Z]|[A-Z]{2,}|[A-Z]\w*[A-Z])/.test(text) && !/[^.][.!]$/.test(text);
    expect(listed(raised.filter((one) => !isPlain(one) && !isGiven(one)))).toEqual([]);
  });

  it('is plain English', () => {
    expect(raised.filter(({ text }) => findPhrases([{ text, start: 0 }], phrases).length > 0)).toEqual([]);
  });
});
