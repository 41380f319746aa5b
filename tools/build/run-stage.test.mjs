// Checks that fail in every way that they have, and the failures that `npm test` takes from them.
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOutBy, runStage } from './run-stage.mjs';
import { failuresOf, reports } from './stages.mjs';

const name = `run-stage-test-${process.pid}`;

beforeAll(() => mkdirSync(reports, { recursive: true }));
afterAll(() => rmSync(failuresOf(name), { force: true }));

async function failuresAfter(script) {
  const stage = { title: 'a check', args: ['-e', script] };
  const { failures, failed, passed } = await runStage(name, stage, { tempFolder: tmpdir() });
  expect([passed, failed]).toEqual([0, failures.length]);
  return failures.map(({ file, line, message }) => ({ file, line, message }));
}

const writing = (text) => `require('fs').writeFileSync(${JSON.stringify(failuresOf(name))}, ${JSON.stringify(text)});`;
const fail = 'console.log("\\u001b[1mit is wrong"); process.exit(1)';
const whole = { file: undefined, line: undefined, message: 'it is wrong' };

describe('a check that fails', () => {
  it('is one failure with the end of its output', async () => {
    expect(await failuresAfter(fail)).toEqual([whole]);
  });

  it('is also one for each place that it names', async () => {
    const place = 'packages/a/src/b.ts(3,4): error TS1: no';
    expect(await failuresAfter(`console.log(${JSON.stringify(place)}); ${fail}`)).toEqual([
      { file: 'packages/a/src/b.ts', line: 3, message: 'error TS1: no' },
      { ...whole, message: `${place}\nit is wrong` },
    ]);
  });

  it('is what it has written itself', async () => {
    const own = { stage: name, test: 'x', file: 'a.ts', line: 7, message: 'own', logs: [], pictures: [] };
    expect(await failuresAfter(`${writing(JSON.stringify([own]))} ${fail}`)).toEqual([
      { file: 'a.ts', line: 7, message: 'own' },
    ]);
  });

  it.each(['', '[{"stage":', '[]', '{"failures":[]}'])('is no less than one where it has written %j', async (text) => {
    expect(await failuresAfter(`${writing(text)} ${fail}`)).toEqual([whole]);
  });

  it('says how it ended where it has said nothing', async () => {
    expect(await failuresAfter('process.kill(process.pid, "SIGKILL")')).toEqual([
      { ...whole, message: 'ended with null' },
    ]);
  });
});

describe('leftOutBy', () => {
  it.each([
    [
      ['-t', 'is answered'],
      [false, true],
    ],
    [
      ['a.test.ts', '--testNamePattern=^a call'],
      [false, true],
    ],
    [['-t=other'], [true, false]],
    [
      ['-t', '('],
      [false, false],
    ],
    [['a.test.ts'], [false, false]],
  ])('reads %j', (args, expected) => {
    expect(['a call is answered', 'other tests'].map(leftOutBy(args))).toEqual(expected);
  });
});
