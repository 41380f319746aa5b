// MCP over the stdin and stdout of a child process. Why not the SDK's: it waits for the pipes to close, which a
// grandchild (`npx`, `sh -c`) can put off for ever, ends only the direct child, and joins long lines in quadratic time.
import { unreachable } from './failures.js';
import { createLineSplitter } from './line-splitter.js';
import { type Command, startProcessGroup } from './process-group.js';
import type { Reaper } from './reaper.js';
import { maxLogLineBytes, maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import { faultOf, parseMessages, type RpcMessage } from './wire.js';

/** How long a child may take to end by itself once its stdin is closed. */
const patienceMs = 1_000;
/** How long after its exit a child's last words are waited for, when something else still holds the pipe. */
const lastWordsMs = 100;

/** Starts the child at once. A child that cannot be started reports `onClosed`. */
export function openStdioTransport(
  command: Command,
  events: TransportEvents,
  { reaper, maxBytes = maxMessageBytes }: { readonly reaper: Reaper | null; readonly maxBytes?: number },
): Transport {
  const group = startProcessGroup(command, reaper);
  const { child } = group;
  let state: 'open' | 'lost' | 'closed' = 'open';
  let ending: Promise<void> | undefined;

  const end = (waitMs: number) => {
    child.stdin.destroy(); // fails writes that a dead reader would hold up for ever
    ending ??= group.end(waitMs).finally(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
    return ending;
  };

  const lose = (reason: string) => {
    if (state !== 'open') return;
    state = 'lost';
    void end(0);
    events.onClosed(reason);
  };

  const parseLine = (line: string): readonly RpcMessage[] => {
    try {
      return parseMessages(line);
    } catch (error) {
      events.onLog(`stdout is ${faultOf(error)}, ignored: ${line.slice(0, maxLogLineBytes)}`);
      return [];
    }
  };

  const stdout = createLineSplitter({
    maxBytes,
    onLine(line) {
      if (state !== 'open' || line === '') return;
      for (const message of parseLine(line)) events.onMessage(message);
    },
    onTooLong: () => lose(`the server sent a message of more than ${maxBytes} bytes`),
  });
  const stderr = createLineSplitter({
    maxBytes: maxLogLineBytes,
    onLine: (line) => state !== 'closed' && events.onLog(line),
  });

  child.stdout.on('data', stdout.push).on('error', () => {});
  child.stderr
    .on('data', stderr.push)
    .on('end', stderr.end)
    .on('error', () => {});
  child.stdin.on('error', () => {}); // every write has a callback of its own, and the exit is seen anyway
  child.on('error', (error) => lose(startFailure(command.command, error)));
  child.on('exit', (code, signal) => {
    const reason = `the process ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}`;
    void end(0);
    const timer = setTimeout(lose, lastWordsMs, reason);
    child.stdout.once('close', () => {
      clearTimeout(timer);
      lose(reason);
    });
  });

  const write = (message: RpcMessage, done: (error?: Error | null) => void) =>
    child.stdin.write(`${JSON.stringify(message)}\n`, done);

  return {
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    hasReplyStreams: false,
    sessionId: () => undefined,
    request(message, _headers, onFailure) {
      if (state !== 'open') {
        onFailure(unreachable('the process is gone', false));
        return () => {};
      }
      write(message, (error) => {
        // Usually the exit follows and tells why; this is for a process that lives on with its stdin closed.
        if (error) setTimeout(onFailure, 2 * lastWordsMs, unreachable('the process no longer reads its stdin', true));
      });
      return () => {};
    },
    send: (message) => new Promise((resolve) => (state === 'open' ? write(message, () => resolve()) : resolve())),
    settle() {},
    listen() {},
    close() {
      if (state !== 'closed') {
        state = 'closed';
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
