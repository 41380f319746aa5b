// A screen from its first line to its end, on the terminal's other screen.
import { render } from 'ink';
import type { ToLines } from './lines.js';
import { Screen } from './screen.js';
import type { Store } from './store.js';
import { enterTerminal } from './terminal-mode.js';

export interface ScreenOptions<State, Result> {
  readonly store: Store<State>;
  readonly toLines: ToLines<State>;
  /** Ends the screen by `finish`. */
  readonly onKey: (key: string, finish: (result: Result) => void) => void;
}

/** Resolves with what the screen was finished with, when the terminal is as it was before. */
export async function runScreen<State, Result>(options: ScreenOptions<State, Result>): Promise<Result> {
  const { store, toLines, onKey } = options;
  let stopDrawing = () => {};
  const leave = enterTerminal(() => stopDrawing());
  try {
    return await new Promise<Result>((resolve, reject) => {
      const finish = (result: Result) => {
        instance.unmount();
        resolve(result);
      };
      const screen = <Screen store={store} toLines={toLines} onKey={(key) => onKey(key, finish)} />;
      const instance = render(screen, { exitOnCtrlC: false, patchConsole: false });
      stopDrawing = () => instance.unmount();
      instance.waitUntilExit().catch(reject);
    });
  } finally {
    leave();
    stopReading();
  }
}

/** Else we would take keys from a program that we start. Ink reads by `readable`, which `pause` alone does not end. */
function stopReading(): void {
  process.stdin.resume();
  process.stdin.pause();
}
