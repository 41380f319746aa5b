// The pipes of a child: messages out and in, and anything on stderr. A server may be as fast as it can; what is no message
// is held to a measure, so that a chatty child costs neither the other servers their turn nor the log its use.
import type { Readable, Writable } from 'node:stream';
import type { Settle } from '@portico/async';
import { exactNumbers, writeExact } from '@portico/contracts';
import type { FrameChannel } from '@portico/upstream-pool';
import { unreachable } from './failures.js';
import { limitLines } from './line-limit.js';
import { readLines } from './line-reader.js';
import { smallMessage } from './server-work.js';
import { maxLogLineBytes, type TransportEvents } from './transport.js';
import { faultOf, glimpseReplyId, OutOfBounds, parseMessages, type RpcMessage, refusedReply } from './wire.js';

export interface Output {
  /** Reports at once the lines that were kept out of the log. */
  flushRest(): void;
}

export interface MessageOutput extends Output {
  /** Nothing of what is read is wanted any more. */
  ignoreRest(): void;
}

export interface StdoutOptions extends Pick<TransportEvents, 'onMessage' | 'onLog' | 'parseLarge' | 'frames'> {
  readonly maxBytes: number;
  /** The child wrote something for which its session must end. */
  readonly onFault: (reason: string) => void;
}

/** Limits of one read: a healthy server seldom reaches them, and loses no speed when it does. */
const stdoutShare = { lines: 256, bytes: 256 * 1024 };
/** With the rest after each share, 20,000 lines or 5 MB a second. */
const stderrShare = { lines: 1_000, bytes: 256 * 1024 };
const maxStrayPerSecond = 100;
const maxStderrPerSecond = 1_000;
/** A child that writes more lines that are not JSON than this, in this time, is ended. */
const flood = { lines: 10_000, withinMs: 10_000 };
/** A message is an object, or an array of them; other text is not worth an exception. */
const startsLikeMessage = /^\s*[{[]/;

export function readStdout(stream: Readable, options: StdoutOptions): MessageOutput {
  const { maxBytes, onMessage, onLog, onFault, parseLarge = parseMessages, frames } = options;
  const stray = limitLines({
    perSecond: maxStrayPerSecond,
    onLine: onLog,
    summary: (count) => `stdout: … ${count} more lines that are no JSON`,
  });
  let isWanted = true;
  let strayLines = 0;
  let straySince = 0;

  const ignore = (line: string, fault: string) => {
    stray.pass(`stdout is ${fault}, ignored: ${line.slice(0, maxLogLineBytes)}`);
    const now = performance.now();
    if (now - straySince > flood.withinMs) {
      strayLines = 0;
      straySince = now;
    }
    strayLines += 1;
    if (strayLines > flood.lines) onFault('the process floods its stdout with text that is no JSON');
  };

  /** Replaces a line that is no message: by an error reply if the line begins like a reply, else by nothing. */
  const inPlaceOf = (line: string, error: unknown): readonly RpcMessage[] => {
    ignore(line, faultOf(error));
    const id = error instanceof OutOfBounds ? glimpseReplyId(line) : undefined;
    return id === undefined ? [] : [{ jsonrpc: '2.0', id, error: refusedReply(error) }];
  };

  const takeLine = (line: string): boolean => {
    if (!isWanted || line === '') return false;
    if (!startsLikeMessage.test(line)) {
      ignore(line, 'no JSON');
      return false;
    }
    let messages: readonly RpcMessage[];
    try {
      messages = line.length > smallMessage ? parseLarge(line) : parseMessages(line);
    } catch (error) {
      messages = inPlaceOf(line, error);
    }
    frames?.tap.recorder?.received(frames, messages, line, null);
    for (const message of messages) onMessage(message, null, line.length);
    return messages.length > 0;
  };

  readLines(stream, {
    maxBytes,
    share: stdoutShare,
    rests: 'after-waste',
    onLine: takeLine,
    onTooLong: () => onFault(`the server sent a message of more than ${maxBytes} bytes (a fixed limit)`),
  });
  return {
    flushRest: stray.end,
    ignoreRest() {
      isWanted = false;
    },
  };
}

export function readStderr(stream: Readable, onLog: (line: string) => void): Output {
  const lines = limitLines({
    perSecond: maxStderrPerSecond,
    onLine: onLog,
    summary: (count) => `stderr: … ${count} more lines`,
  });
  readLines(stream, {
    maxBytes: maxLogLineBytes,
    share: stderrShare,
    rests: 'always',
    onLine(line) {
      lines.pass(line);
      return false;
    },
  });
  return { flushRest: lines.end };
}

/** Called when a message is written; for a request only when the write fails. */
type Unwritten = (() => void) | Pick<Settle<never>, 'reject'>;

/**
 * Writes what a turn of the event loop brings at its end, together: a system call costs more than the rest of a write.
 */
export function createMessageWriter(stdin: Writable, frames?: FrameChannel) {
  let isOpen = true;
  let gathered = '';
  let unwritten: Unwritten[] = [];

  const flush = () => {
    if (gathered === '') return; // written before the end
    const written = unwritten;
    unwritten = []; // or the last calls, with their results, would stay until the next write
    stdin.write(gathered, (error) => {
      for (const each of written) {
        if (typeof each === 'function') each();
        // Usually the exit follows with the reason; this is for a process that lives on with its stdin closed.
        else if (error) afterPendingEvents(2 * lastWordsMs, () => each.reject(unreachable(unread, true)));
      }
    });
    gathered = '';
  };

  return {
    write(message: RpcMessage, each: Unwritten): undefined {
      if (!isOpen) {
        if (typeof each === 'function') each();
        else each.reject(unreachable('the process has ended', false));
        return;
      }
      const isFirst = gathered === '';
      const text = exactNumbers in (message.params ?? message) ? writeExact(message) : JSON.stringify(message);
      gathered += `${text}\n`;
      frames?.tap.recorder?.sent(frames, message, text);
      if (!isFirst) return void unwritten.push(each);
      unwritten = [each];
      setImmediate(flush);
    },
    /** Takes no more, and writes what it has. */
    end() {
      isOpen = false;
      flush();
    },
    /** Stops reading and writing: pending requests receive the end in another way. */
    drop() {
      isOpen = false;
      gathered = '';
      for (const each of unwritten) if (typeof each === 'function') each();
      unwritten = [];
    },
  };
}

const unread = 'the process no longer reads its stdin';

/** How long after its exit a child's last words are waited for, when something else still holds the pipe. */
export const lastWordsMs = 100;

/**
 * Runs after a while, behind the events that the system has queued by then: after a suspension of this process, an exit
 * in that time is handled first.
 */
export function afterPendingEvents(ms: number, run: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(run), ms);
}
