// Evidence that a failed test shows beside its assertion: the last log lines of the processes that it started, and the
// pictures of its pages. The test report carries it as `meta` of the test.

declare module 'vitest' {
  interface TaskMeta {
    evidence?: Evidence;
  }
}

export interface Evidence {
  /** The last lines of each log, by the name of what wrote it. */
  readonly logs: readonly { readonly of: string; readonly lines: readonly string[] }[];
  /** Paths of screenshots. */
  readonly pictures: readonly string[];
}

const lastLines = 15;
const maxLineLength = 400;

interface Log {
  readonly of: string;
  readonly text: () => string;
  readonly isOfTest: boolean;
}

let logs: Log[] = [];
let pictures: string[] = [];
let isInTest = false;

/** @param text everything that it has written so far */
export function keepLog(of: string, text: () => string): void {
  logs.push({ of, text, isOfTest: isInTest });
}

export function keepPicture(path: string): void {
  pictures.push(path);
}

/** Drops the evidence of the test before, and keeps that of the file. */
export function beginEvidence(): void {
  isInTest = true;
  logs = logs.filter(({ isOfTest }) => !isOfTest);
  pictures = [];
}

/** Evidence from now on belongs to the file, or to the suite that begins. */
export function leaveTest(): void {
  isInTest = false;
}

/** Everything is dropped. */
export function endEvidence(): void {
  leaveTest();
  logs = [];
  pictures = [];
}

export function currentEvidence(): Evidence {
  return { logs: logs.map(({ of, text }) => ({ of, lines: tailOf(text()) })).filter(hasLines), pictures };
}

function hasLines({ lines }: { readonly lines: readonly string[] }): boolean {
  return lines.length > 0;
}

function tailOf(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .slice(-lastLines)
    .map((line) => (line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line));
}
