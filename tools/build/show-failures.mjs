// The end of a run that failed, short enough to be read in a log that shows only its last lines.

/** Lines that all failures share; a log is often cut to its last sixty. */
const maxLines = 54;
export const maxMessageLines = 12;
const maxLogLines = 8;
const maxLineLength = 220;

/**
 * @param {readonly import('./read-report.mjs').Failure[]} failures
 * @param {string} report where all of them are
 * @returns {string[]} at most 54 lines; each failure has its title, and they share what is left, first what says most
 */
export function showFailures(failures, report = '.cache/test-report.json') {
  const own = failures.filter((failure) => !isDueToAnother(failure, failures));
  const shown = own.length === failures.length && own.length <= maxLines ? own : own.slice(0, maxLines - 1);
  const left = failures.length - shown.length;
  const lines = shareOut(shown.map(linesOf), maxLines - (left === 0 ? 0 : 1));
  return left === 0 ? lines : [...lines, `and ${left} more, in ${report}`];
}

/** A test that was not run because its suite or its file failed. */
function isDueToAnother(failure, failures) {
  if (!failure.message.startsWith('the test was not run')) return false;
  return failures.some(
    ({ test, file, message }) =>
      file === failure.file &&
      !message.startsWith('the test was not run') &&
      (test === file || failure.test.startsWith(`${test} `)),
  );
}

/** Takes from each failure its most specific line, then the next ones, as long as there is room. */
function shareOut(ofFailures, room) {
  const taken = ofFailures.map(() => /** @type {Line[]} */ ([]));
  let free = room;
  for (let rank = 0; free > 0 && ofFailures.some((lines) => rank < lines.length); rank += 1) {
    for (const [index, lines] of ofFailures.entries()) {
      if (free === 0 || rank >= lines.length) continue;
      taken[index].push(lines[rank]);
      free -= 1;
    }
  }
  return taken.flatMap((lines) => lines.sort((a, b) => a.position - b.position).map(({ text }) => text));
}

/** @typedef {{ text: string, position: number }} Line its place among those of its failure */

/** @returns {Line[]} what says most first */
function linesOf({ stage, test, file, line, message, seed, logs, pictures }) {
  const where = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  const said = message
    .split('\n')
    .map((text) => text.trimEnd())
    .filter((text) => text !== '' && !/^\s+at /.test(text) && !/^(- Expected|\+ Received)( |$)/.test(text))
    .slice(0, maxMessageLines)
    .map((text, index) => toLine(`    ${text}`, 1 + index));
  const facts = [
    ...(seed === undefined ? [] : [`    seed: ${seed}`]),
    ...pictures.map((path) => `    picture: ${path}`),
  ].map((text, index) => toLine(text, 100 + index));
  const logged = logs.flatMap(({ of, lines }, log) => {
    const position = 1000 * (log + 1);
    const last = lines.slice(-maxLogLines).map((text, index) => toLine(`      ${text}`, position + 1 + index));
    return [toLine(`    log of ${of}:`, position), ...last.reverse()]; // the last line says most
  });
  const title = toLine(`FAILED ${stage}: ${test}${where}`, 0);
  return [title, ...said.slice(0, 1), ...facts, ...alternate(said.slice(1), logged)];
}

function toLine(text, position) {
  return { text: text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text, position };
}

/** Two of each in turn: a log has its heading first. */
function alternate(some, others) {
  const turns = Math.ceil(Math.max(some.length, others.length) / 2);
  return Array.from({ length: turns }, (_, turn) => [
    ...some.slice(2 * turn, 2 * turn + 2),
    ...others.slice(2 * turn, 2 * turn + 2),
  ]).flat();
}
