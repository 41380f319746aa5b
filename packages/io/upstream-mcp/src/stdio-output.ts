// What a child writes: messages on stdout, anything on stderr. A server may be as fast as it can; what is no message is
// held to a measure, so that a chatty child costs neither the other servers their turn nor the log its use.
import type { Readable } from 'node:stream';
import { limitLines } from './line-limit.js';
import { readLines } from './line-reader.js';
import { maxLogLineBytes, type TransportEvents } from './transport.js';
import { faultOf, glimpseReplyId, OutOfBounds, parseMessages, type RpcMessage, refusedReply } from './wire.js';

export interface Output {
  /** Tells at once of the lines that were kept out of the log. */
  tellRest(): void;
}

export interface StdoutOptions extends Pick<TransportEvents, 'onMessage' | 'onLog'> {
  readonly maxBytes: number;
  /** Whether anybody still wants what is read. */
  readonly isWanted: () => boolean;
  /** The child wrote something for which its session must end. */
  readonly onFault: (reason: string) => void;
}

/** What is read in one go: a healthy server seldom gets that far, and loses no speed when it does. */
const stdoutShare = { lines: 256, bytes: 256 * 1024 };
/** With the rest after each share, 20,000 lines or 5 MB a second. */
const stderrShare = { lines: 1_000, bytes: 256 * 1024 };
const maxStrayPerSecond = 100;
const maxStderrPerSecond = 1_000;
/** More lines on stdout that are no JSON than this, in so long, and nothing good will come of the child. */
const flood = { lines: 10_000, withinMs: 10_000 };
/** A message is an object, or an array of them; other text is not worth an exception. */
const startsLikeMessage = /^\s*[{[]/;

export function readStdout(stream: Readable, { maxBytes, isWanted, onMessage, onLog, onFault }: StdoutOptions): Output {
  const stray = limitLines({
    perSecond: maxStrayPerSecond,
    onLine: onLog,
    summary: (count) => `stdout: … ${count} more lines that are no JSON`,
  });
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

  const parseLine = (line: string): readonly RpcMessage[] => {
    if (!startsLikeMessage.test(line)) {
      ignore(line, 'no JSON');
      return [];
    }
    try {
      return parseMessages(line);
    } catch (error) {
      ignore(line, faultOf(error));
      const id = error instanceof OutOfBounds ? glimpseReplyId(line) : undefined;
      return id === undefined ? [] : [{ jsonrpc: '2.0', id, error: refusedReply(error) }];
    }
  };

  readLines(stream, {
    maxBytes,
    share: stdoutShare,
    rests: 'after-waste',
    onLine(line) {
      if (!isWanted() || line === '') return false;
      const messages = parseLine(line);
      for (const message of messages) onMessage(message, null, line.length);
      return messages.length > 0;
    },
    onTooLong: () => onFault(`the server sent a message of more than ${maxBytes} bytes`),
  });
  return { tellRest: stray.end };
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
  return { tellRest: lines.end };
}
