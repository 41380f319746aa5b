// The log behind a limit for messages that servers can cause: of each message about one server a limited number of
// lines is written in an interval, and the others are counted in one line. So are lines with `about`, which are about
// what all of them write. Others are never held back.
import type { Log } from '@portico/control-plane';

export interface LimitedLog {
  readonly log: Log;
  /** Writes the pending counts. */
  close(): void;
}

export interface LimitedLogDeps {
  readonly now: () => number;
  /** Runs something once, later; the returned function gives it up. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export interface LineLimit {
  /** Lines of one message about one server that are written in one window. */
  readonly lines: number;
  readonly windowMs: number;
}

interface Window {
  readonly beganMs: number;
  readonly message: string;
  written: number;
  suppressed: number;
  /** The fields of the latest line that was held back: mostly the reason. */
  last: Fields;
  level: Parameters<Log>[0];
}

type Fields = Readonly<Record<string, unknown>>;

/** A server that restarts often, or logs much for a good reason, stays below. */
const defaultLimit: LineLimit = { lines: 100, windowMs: 10_000 };
/** Messages with a limit each; of more, those of one server share a limit. */
const maxWindows = 2000;

export function createLimitedLog(
  write: Log,
  { now, after }: LimitedLogDeps,
  { lines, windowMs }: LineLimit = defaultLimit,
): LimitedLog {
  const windows = new Map<string, Window>();
  let cancel: (() => void) | undefined;

  const end = (key: string, window: Window) => {
    windows.delete(key);
    if (window.suppressed === 0) return;
    const seconds = Math.max(1, Math.round((now() - window.beganMs) / 1000));
    write(window.level, `suppressed ${window.suppressed} lines in ${seconds} s: ${window.message}`, {
      ...window.last,
      suppressed: window.suppressed,
    });
  };
  const endOver = () => {
    const at = now();
    for (const [key, window] of windows) {
      if (at - window.beganMs < windowMs) break; // those that follow began later
      end(key, window);
    }
  };
  const endOverAndWatch = () => {
    cancel = undefined;
    endOver();
    if ([...windows.values()].some(({ suppressed }) => suppressed > 0)) watch();
  };
  /** Only while lines are held back: they are counted in a line when their time is over, whether another comes or not. */
  const watch = () => {
    cancel ??= after(windowMs, endOverAndWatch);
  };

  const windowOf = (server: string, message: string): Window => {
    const own = `${server}\0${message}`;
    if (windows.size >= maxWindows) endOver();
    const key = windows.has(own) || windows.size < maxWindows ? own : server;
    const found = windows.get(key);
    if (found !== undefined && now() - found.beganMs < windowMs) return found;
    if (found !== undefined) end(key, found);
    const window: Window = { beganMs: now(), message, written: 0, suppressed: 0, last: {}, level: 'info' };
    windows.set(key, window); // behind all that began before it
    return window;
  };

  return {
    log(level, message, fields) {
      const server = fields?.server ?? fields?.about;
      if (typeof server !== 'string') return write(level, message, fields);
      const window = windowOf(server, message);
      if (window.written < lines) {
        window.written += 1;
        return write(level, message, fields);
      }
      window.suppressed += 1;
      watch();
      window.last = fields ?? {};
      window.level = level;
    },
    close() {
      cancel?.();
      for (const [key, window] of windows) end(key, window);
    },
  };
}
