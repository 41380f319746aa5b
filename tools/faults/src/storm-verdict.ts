// Checks after a kill storm, for any moments of the kills. Judges; it never touches a daemon.
import { existsSync, readFileSync } from 'node:fs';
import { type Check, unless } from './check.js';
import { canListProcesses, describeProcess } from './processes.js';
import type { StormKey, StormSeen } from './storm.js';

/** How often the upstream ran each key, as it wrote down itself. */
export function countExecutions(journal: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(journal)) return counts;
  for (const line of readFileSync(journal, 'utf8').split('\n').slice(0, -1)) {
    const { key } = JSON.parse(line) as { readonly key: string };
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

export function judge(seen: StormSeen, { needsAmbiguity }: { readonly needsAmbiguity: boolean }): readonly Check[] {
  const counts = countExecutions(seen.journal);
  const countOf = ({ key }: StormKey) => counts.get(key) ?? 0;
  return [
    onceEach(seen, counts),
    sameAnswers(seen),
    ambiguousOnesSaySo(seen, countOf, needsAmbiguity),
    freeOnesRun(seen, countOf),
    gatedOnes(seen, countOf),
    nothingLeft(seen),
    { what: 'no other answer and no failure of the service', figures: `${seen.kills} kills`, problems: seen.problems },
  ];
}

function onceEach({ keys, kills, startKills }: StormSeen, counts: ReadonlyMap<string, number>): Check {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const known = new Set(keys.map(({ key }) => key));
  return {
    what: 'every key runs at most once',
    figures: `${kills} kills, ${startKills} of them while starting; ${keys.length} keys, ${total} executions`,
    problems: [
      ...[...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} ran ${count} times`),
      ...[...counts.keys()].filter((key) => !known.has(key)).map((key) => `${key} ran and was never sent`),
      ...unless(total <= keys.length, () => `${total} executions of ${keys.length} keys`),
      ...unless(keys.length > 0, () => 'no key was sent'),
    ],
  };
}

function sameAnswers({ keys, differing }: StormSeen): Check {
  const compared = keys.filter((key) => key.compared > 0);
  const times = keys.reduce((sum, key) => sum + key.compared, 0);
  const replayed = keys.filter((key) => key.lives > 1 && key.isReplay && key.answer?.meaning === 'result').length;
  return {
    what: 'an answer that was received stays the same',
    figures:
      `${compared.length} keys compared ${times} times; ` + `${replayed} results were learnt by a replay after a kill`,
    problems: [
      ...differing,
      ...keys.filter(({ answer }) => answer === undefined).map(({ key }) => `${key} has no answer after everything`),
    ],
  };
}

function ambiguousOnesSaySo({ keys }: StormSeen, countOf: (key: StormKey) => number, needsAmbiguity: boolean): Check {
  const unknown = keys.filter(({ answer }) => answer?.meaning === 'unknown');
  const contacted = unknown.filter((key) => countOf(key) > 0).length;
  return {
    what: 'an ambiguous key answers INTERNAL_ERROR, unknown, not retryable',
    figures: `${unknown.length} ambiguous keys: ${contacted} the upstream ran, ${unknown.length - contacted} it did not`,
    problems: unless(contacted > 0 || !needsAmbiguity, () => 'no call was ambiguous, so this run has shown nothing'),
  };
}

function freeOnesRun({ keys }: StormSeen, countOf: (key: StormKey) => number): Check {
  const results = keys.filter(({ answer }) => answer?.meaning === 'result');
  const free = keys.filter(({ wasFree }) => wasFree);
  return {
    what: 'a key that was never begun runs when it is repeated',
    figures: `${results.length} keys ran; ${free.length} of them when repeated after a kill`,
    problems: [
      ...results
        .filter((key) => countOf(key) !== 1)
        .map((key) => `${key.key} has a result and ran ${countOf(key)} times`),
      ...free
        .filter(({ answer }) => answer?.meaning !== 'result')
        .map(({ key, answer }) => `${key} had no record and was not run: ${answer?.text}`),
      ...free.filter(({ isReplay }) => isReplay).map(({ key }) => `${key} had no record and was replayed`),
    ],
  };
}

function gatedOnes({ keys, ticketAnswers }: StormSeen, countOf: (key: StormKey) => number): Check {
  const gated = keys.filter(({ isGated }) => isGated);
  const unknown = gated.filter(({ answer }) => answer?.meaning === 'unknown').length;
  const answerOf = new Map(keys.map(({ key, answer }) => [key, answer]));
  const wrong = ticketAnswers.filter(
    ({ key, answer }) => answer !== undefined && answer.text !== answerOf.get(key)?.text,
  );
  return {
    what: 'an approved call runs once, and its ticket has the answer of its key',
    figures:
      `${gated.length} gated keys, ${gated.filter((key) => countOf(key) === 1).length} ran, ${unknown} ambiguous; ` +
      `${ticketAnswers.length} tickets`,
    problems: wrong.map(
      ({ key, id, answer }) =>
        `ticket ${id} says ${answer?.meaning} and its key ${key} ${answerOf.get(key)?.meaning}: ${answer?.text}`,
    ),
  };
}

function nothingLeft({ children, left, kills }: StormSeen): Check {
  return {
    what: 'no process of a killed daemon is left',
    figures: canListProcesses ? `${children} child processes of ${kills} daemons` : 'not looked at: there is no /proc',
    problems: left.map(describeProcess),
  };
}
