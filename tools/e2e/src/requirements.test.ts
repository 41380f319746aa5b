// Unit tests of the requirement gate, and of the list itself being well formed.
// They never look at what the e2e tests prove: check-requirements does that, from their report.
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkCitations, loadRequirements, parseRequirements, type Requirement } from './requirements.js';

const etag: Requirement = { id: 'catalog-etag', text: 'A list carries an ETag.', status: 'built' };
const batch: Requirement = { id: 'batch-route', text: 'Batches run.', status: 'pending', area: 'batch' };

const passed = (name: string) => ({ name, status: 'passed' });
const failed = (name: string) => ({ name, status: 'failed' });

describe('checkCitations', () => {
  it('is content when every built requirement is cited by a passing test and no pending one is', () => {
    expect(checkCitations([etag, batch], [passed('carries an ETag [catalog-etag]')])).toEqual([]);
  });

  it('accepts one test that cites several requirements', () => {
    const second: Requirement = { id: 'catalog-ttl', text: 'A list has a ttl.', status: 'built' };
    expect(checkCitations([etag, second], [passed('has hints [catalog-etag] [catalog-ttl]')])).toEqual([]);
  });

  it('accepts one passing test among failing ones', () => {
    expect(checkCitations([etag], [failed('a [catalog-etag]'), passed('b [catalog-etag]')])).toEqual([]);
  });

  it('reports a built requirement that no test cites', () => {
    expect(checkCitations([etag], [passed('carries an ETag')])).toEqual([
      {
        kind: 'not-proven',
        id: 'catalog-etag',
        message:
          '[catalog-etag] is built but no e2e test cites it: write one whose name ends in [catalog-etag]. ' +
          'A list carries an ETag.',
      },
    ]);
  });

  it.each(['failed', 'skipped', 'todo'])('reports a built requirement whose only test is %s', (status) => {
    expect(checkCitations([etag], [{ name: 'carries it [catalog-etag]', status }])).toEqual([
      {
        kind: 'not-proven',
        id: 'catalog-etag',
        message: `[catalog-etag] is built but "carries it [catalog-etag]" is ${status}: make it pass. A list carries an ETag.`,
      },
    ]);
  });

  it('reports a pending requirement that a passing test cites', () => {
    expect(checkCitations([batch], [passed('runs a batch [batch-route]')])).toEqual([
      {
        kind: 'not-marked-built',
        id: 'batch-route',
        message:
          '[batch-route] is pending but "runs a batch [batch-route]" passes: mark it built, or take the citation ' +
          'out of the test. Batches run.',
      },
    ]);
  });

  it('leaves a pending requirement alone while its test fails', () => {
    expect(checkCitations([batch], [failed('runs a batch [batch-route]')])).toEqual([]);
  });

  it.each([passed, failed])('reports an id that does not exist once, for every result of the test', (finish) => {
    expect(checkCitations([], [finish('a [no-such-id]'), finish('b [no-such-id]')])).toEqual([
      {
        kind: 'unknown-id',
        id: 'no-such-id',
        message:
          '[no-such-id] does not exist but "a [no-such-id]" cites it: correct the id in the test, or add it to ' +
          'tools/e2e/requirements',
      },
    ]);
  });

  it('does not take other brackets in a test name for citations', () => {
    expect(checkCitations([], [passed('takes [0], ["name"], [redacted] and [… K more lines]')])).toEqual([]);
  });
});

describe('parseRequirements', () => {
  it('reads all files into one list', () => {
    const files = [
      { file: 'a.json', value: [etag] },
      { file: 'b.json', value: [batch] },
    ];
    expect(parseRequirements(files)).toEqual({ requirements: [etag, batch], problems: [] });
  });

  it('reports an id used in two files', () => {
    const files = [
      { file: 'a.json', value: [etag] },
      { file: 'b.json', value: [etag] },
    ];
    expect(parseRequirements(files).problems).toEqual(['b.json[0]: id "catalog-etag" is already used in a.json']);
  });

  it.each([
    [null, 'expected an object'],
    [{ ...etag, id: 'Catalog ETag' }, '"id" must be lower-case words joined by hyphens, at least two'],
    [{ ...etag, id: 'etag' }, '"id" must be lower-case words joined by hyphens, at least two'],
    [{ ...etag, text: ' ' }, '"text" of "catalog-etag" must be a sentence'],
    [{ ...etag, status: 'done' }, '"status" of "catalog-etag" must be "built" or "pending"'],
    [{ ...etag, area: 'audit' }, '"catalog-etag" is built: remove its "area"'],
    [{ ...etag, note: 'x' }, '"catalog-etag" has an unknown field "note"'],
  ])('reports the entry %j', (entry, problem) => {
    expect(parseRequirements([{ file: 'a.json', value: [entry] }])).toEqual({
      requirements: [],
      problems: [`a.json[0]: ${problem}`],
    });
  });

  it.each([undefined, 'kitchen'])('reports a pending requirement whose area is %s', (area) => {
    const { problems } = parseRequirements([{ file: 'a.json', value: [{ ...batch, area }] }]);
    expect(problems).toEqual([
      expect.stringMatching(/^a\.json\[0\]: "batch-route" is pending: its "area" must be one of policy, approvals, /),
    ]);
  });

  it('reports a file that is no array', () => {
    expect(parseRequirements([{ file: 'a.json', value: {} }]).problems).toEqual([
      'a.json: expected an array of requirements',
    ]);
  });
});

describe('the requirement list', () => {
  it('is well formed', () => {
    expect(loadRequirements(fileURLToPath(new URL('../requirements', import.meta.url)))).not.toEqual([]);
  });
});
