// MCP over the stdin and stdout of a child process. Why not the SDK's: it waits for the pipes to close, which a
// grandchild (`npx`, `sh -c`) can put off for ever, ends only the direct child, and joins long lines in quadratic time.
import type { Writable } from 'node:stream';
import type { Settle } from '@portico/async';
import { unreachable } from './failures.js';
import { type Command, startProcessGroup } from './process-group.js';
import type { Reaper } from './reaper.js';
import { readStderr, readStdout } from './stdio-output.js';
import { maxMessageBytes, type Transport, type TransportEvents } from './transport.js';
import type { RpcMessage } from './wire.js';

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
  const writer = createMessageWriter(child.stdin);
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
    writer.end();
    stdout.ignoreRest();
    stdout.tellRest();
    stderr.tellRest();
    void end(0);
    child.stdout.destroy();
    events.onClosed(reason);
  };

  const onLog = (line: string) => {
    if (state !== 'closed') events.onLog(line);
  };
  const stdout = readStdout(child.stdout, {
    maxBytes,
    onMessage: events.onMessage,
    onLog,
    onFault: lose,
  });
  const stderr = readStderr(child.stderr, onLog);

  let closedStdout: NodeJS.Timeout | undefined;
  child.stdout.once('close', () => {
    // Usually the exit follows and tells why; this is for a process that lives on and can answer no more.
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

/** Told when a message is written: a request only where it could not be. */
type Unwritten = (() => void) | Pick<Settle<never>, 'reject'>;

/**
 * Writes what a turn of the event loop brings at its end, together: a system call costs more than the rest of a write.
 */
function createMessageWriter(stdin: Writable) {
  let isOpen = true;
  let gathered = '';
  let unwritten: Unwritten[] = [];

  const flush = () => {
    if (gathered === '') return; // written before the end
    const written = unwritten;
    stdin.write(gathered, (error) => {
      for (const each of written) {
        if (typeof each === 'function') each();
        // Usually the exit follows and tells why; this is for a process that lives on with its stdin closed.
        else if (error) afterPendingEvents(2 * lastWordsMs, () => each.reject(unreachable(unread, true)));
      }
    });
    gathered = '';
  };

  return {
    write(message: RpcMessage, each: Unwritten): undefined {
      if (!isOpen) {
        if (typeof each === 'function') each();
        else each.reject(unreachable('the process is gone', false));
        return;
      }
      const isFirst = gathered === '';
      gathered += `${JSON.stringify(message)}\n`;
      if (!isFirst) return void unwritten.push(each);
      unwritten = [each];
      setImmediate(flush);
    },
    /** Takes no more. */
    end() {
      isOpen = false;
      flush();
    },
  };
}

const unread = 'the process no longer reads its stdin';

/**
 * Runs after a while, and after what the system has to tell by then: when this process stood still, an exit in that time is
 * heard of first.
 */
function afterPendingEvents(ms: number, run: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(run), ms);
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
