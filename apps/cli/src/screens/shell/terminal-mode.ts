// The other screen of the terminal, and the way back from it on every end of the process.
import { writeSync } from 'node:fs';

const enterScreen = '\u001b[?1049h\u001b[H';
const leaveScreen = '\u001b[?25h\u001b[?1049l';
/** Signals that end a process from outside, with their exit codes. */
export const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof signals;
const names: readonly Signal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/**
 * Gives the function that goes back. The process ends by a signal as it would without a screen, but tidily.
 * @param stopDrawing called before: what is drawn later would be on the screen that stays
 */
export function enterTerminal(stopDrawing: () => void): () => void {
  let isIn = true;
  const leave = () => {
    if (!isIn) return;
    isIn = false;
    stopDrawing();
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
    tryToWrite(leaveScreen);
  };
  const onFailure = (error: unknown) => {
    leave(); // first, or the message would be lost with the other screen
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    leave();
    process.exit(signals[signal as Signal]); // listened to for these alone
  };
  tryToWrite(enterScreen);
  process.on('exit', leave);
  process.on('uncaughtException', onFailure);
  for (const signal of names) process.prependListener(signal, onSignal);
  return () => {
    leave();
    process.off('exit', leave);
    process.off('uncaughtException', onFailure);
    for (const signal of names) process.off(signal, onSignal);
  };
}

/** The terminal may be gone already. */
function tryToWrite(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // The terminal is closed.
  }
}
