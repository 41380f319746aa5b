// The end of a run that failed, short enough to be read in a log that shows only its last lines.

/** Lines that all failures share; a log is often cut to its last sixty. */
const maxLines = 54;
export const maxMessageLines = 12;
const maxLogLines = 8;
const maxLineLength = 220;

/**
 * @param {readonly import('./read-report.mjs').Failure[]} failures
 * @returns {string[]} at most 54 lines; each failure has one, and as many more as there is room for
 */
export function showFailures(failures) {
  const shown = failures.length > maxLines ? failures.slice(0, maxLines - 1) : failures;
  const room = Math.floor((maxLines - (shown.length < failures.length ? 1 : 0)) / Math.max(1, shown.length));
  const lines = shown.flatMap((failure) => linesOf(failure).slice(0, Math.max(1, room)));
  const left = failures.length - shown.length;
  return left === 0 ? lines : [...lines, `and ${left} more, in .cache/test-report.json`];
}

function linesOf({ stage, test, file, line, message, seed, logs, pictures }) {
  const where = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  const messageLines = message
    .split('\n')
    .map((text) => text.trimEnd())
    .filter((text) => text !== '' && !/^\s+at /.test(text));
  return [
    `FAILED ${stage}: ${test}${where}`,
    ...messageLines.slice(0, maxMessageLines).map((text) => `    ${text}`),
    ...(seed === undefined ? [] : [`    seed: ${seed}`]),
    ...pictures.map((path) => `    picture: ${path}`),
    ...logs.flatMap(({ of, lines }) => [
      `    log of ${of}:`,
      ...lines.slice(-maxLogLines).map((text) => `      ${text}`),
    ]),
  ].map((text) => (text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text));
}
