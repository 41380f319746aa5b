// Questions to the person at the terminal. They go to stderr: stdout is the answer's.
import { createInterface } from 'node:readline/promises';
import { CommandFailure } from '../failures.js';
import { toPlainText } from '../output/plain-text.js';

/** Resolves with a line, without its end. Text of strangers may be in the question. */
export type Ask = (question: string) => Promise<string>;

export interface Terminal {
  readonly ask: Ask;
  close(): void;
}

/** Undefined without a person at the terminal: stdin or stderr is no terminal. */
export function openTerminal(
  signal: AbortSignal,
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'> = process,
): Terminal | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  const lines = createInterface({ input: stdin, output: stderr });
  lines.on('SIGINT', () => process.emit('SIGINT')); // raw mode keeps Ctrl-C from becoming a signal
  const ended = new Promise<never>((_, reject) =>
    lines.once('close', () => reject(new CommandFailure('the input has ended before there was an answer'))),
  );
  ended.catch(() => {}); // closed by us it ends no question
  return {
    ask: (question) => Promise.race([lines.question(toPlainText(question), { signal }), ended]),
    close: () => lines.close(),
  };
}

/** Only `y` and `yes` are a yes. */
export async function confirm(ask: Ask, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}
