// MCP over the stdin and stdout of a child process. Why not the SDK's: it waits for the pipes to close, which a
// grandchild (`npx`, `sh -c`) can delay without limit, ends only the direct child, and joins long lines in quadratic
// time.
import { type Command, startProcessGroup } from './process-group.js';
import type { Reaper } from './reaper.js';
import { afterPendingEvents, createMessageWriter, lastWordsMs, readStderr, readStdout } from './stdio-pipes.js';
import { maxMessageBytes, type Transport, type TransportEvents } from './transport.js';

/** How long a child may take to end by itself once its stdin is closed. */
const patienceMs = 1_000;

/** Starts the child at once. A child that cannot be started reports `onClosed`. */
export function openStdioTransport(
  command: Command,
  events: TransportEvents,
  { reaper, maxBytes = maxMessageBytes }: { readonly reaper: Reaper | null; readonly maxBytes?: number },
): Transport {
  const group = startProcessGroup(command, reaper);
  const { child } = group;
  const writer = createMessageWriter(child.stdin, events.frames);
  let state: 'open' | 'lost' | 'closed' = 'open';
  let ending: Promise<void> | undefined;

  const end = (waitMs: number) => {
    child.stdin.destroy(); // fails writes that a dead reader would block without limit
    ending ??= group.end(waitMs).finally(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
    return ending;
  };

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    writer.drop();
    stdout.ignoreRest();
    stdout.flushRest();
    stderr.flushRest();
    void end(0);
    child.stdout.destroy();
    events.onClosed(reason);
  };

  const onLog = (line: string) => {
    if (state !== 'closed') events.onLog(line);
  };
  const stdout = readStdout(child.stdout, {
    maxBytes,
    ...events,
    onLog,
    onFault: lose,
  });
  const stderr = readStderr(child.stderr, onLog);

  let closedStdout: NodeJS.Timeout | undefined;
  child.stdout.once('close', () => {
    // Usually the exit follows with the reason; this is for a process that lives on and cannot answer any more.
    if (state === 'open')
      closedStdout = afterPendingEvents(2 * lastWordsMs, () => lose('the process closed its stdout'));
  });
  child.stdin.on('error', () => {}); // every write has a callback of its own, and the exit is seen anyway
  child.on('error', (error) => lose(startFailure(command.command, error)));
  child.on('exit', (code, signal) => {
    const reason = `the process ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}`;
    void end(0);
    clearTimeout(closedStdout);
    if (child.stdout.closed) return lose(reason);
    const timer = setTimeout(lose, lastWordsMs, reason);
    child.stdout.once('close', () => {
      clearTimeout(timer);
      lose(reason);
    });
  });

  return {
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    hasReplyStreams: false,
    sessionId: () => undefined,
    request: writer.write,
    send: (message) => new Promise((resolve) => writer.write(message, resolve)),
    settle() {},
    listen() {},
    close() {
      if (state !== 'closed') {
        state = 'closed';
        stdout.ignoreRest();
        writer.end();
        child.stdin.end();
      }
      return endPolitely();
    },
  };

  async function endPolitely(): Promise<void> {
    ending ??= group.end(patienceMs).finally(() => {
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
    });
    await ending;
  }
}

function startFailure(command: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return `cannot start "${command}": command not found`;
    case 'EACCES':
      return `cannot start "${command}": permission denied`;
    default:
      return `cannot start "${command}": ${error.code ?? error.message}`;
  }
}
