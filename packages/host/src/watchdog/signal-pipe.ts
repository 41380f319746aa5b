// The pipe in which libuv leaves each signal that has come until the event loop turns. The watchdog looks into it: Node runs
// signal handlers on the loop alone, so nothing else knows of a signal while the loop stands still. Linux only.
import { readdirSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

/** Both ends: what is read is written back, and the loop reads it when it turns. */
export interface SignalPipe {
  readonly readFd: number;
  readonly writeFd: number;
}

/** `uv__signal_msg_t` where pointers have 8 bytes: the handle, the number of the signal, and padding. */
export const signalMessage = Object.freeze({ bytes: 16, signalAt: 8 });

/** At most what a pipe takes in one piece (PIPE_BUF), so that the loop never finds half a message. */
export const peekedBytes = 4096;

/** A signal that does nothing by itself: which pipe it comes out of shows which is the one of this event loop. */
const probe = 'SIGWINCH';

/** Undefined if there is none to be found, or libuv writes something else than it does today. Call it on the main thread. */
export function findSignalPipe(): SignalPipe | undefined {
  const ignore = () => {};
  try {
    const pipes = ownPipes();
    process.on(probe, ignore);
    process.kill(process.pid, probe); // has been handled before this returns
    return pipes.find((pipe) => signalsIn(pipe).includes(constants.signals[probe]));
  } catch {
    return undefined; // no /proc
  } finally {
    process.off(probe, ignore);
  }
}

/** The numbers of the signals that wait to be read. They stay there. */
export function signalsIn({ readFd, writeFd }: SignalPipe): number[] {
  const found = Buffer.alloc(peekedBytes);
  try {
    const length = readSync(readFd, found, 0, peekedBytes, null);
    writeSync(writeFd, found, 0, length);
    const count = length % signalMessage.bytes === 0 ? length / signalMessage.bytes : 0;
    return Array.from({ length: count }, (_, at) =>
      found.readInt32LE(at * signalMessage.bytes + signalMessage.signalAt),
    );
  } catch {
    return []; // EAGAIN: it is empty
  }
}

/** Pipes that never wait and have both ends in this process: those of the event loops of its threads. */
function ownPipes(): SignalPipe[] {
  const ends = readdirSync('/proc/self/fd').flatMap(pipeEnd);
  return ends.flatMap(({ fd, pipe, isWriter }) => {
    const writer = ends.find((other) => other.pipe === pipe && other.isWriter);
    return isWriter || writer === undefined ? [] : [{ readFd: fd, writeFd: writer.fd }];
  });
}

interface PipeEnd {
  readonly fd: number;
  readonly pipe: string;
  readonly isWriter: boolean;
}

const nonBlocking = 0o4000; // O_NONBLOCK on Linux
const accessMode = 0o3;

function pipeEnd(fd: string): PipeEnd[] {
  try {
    const pipe = readlinkSync(`/proc/self/fd/${fd}`);
    if (!pipe.startsWith('pipe:')) return [];
    const flags = Number.parseInt(
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '',
      8,
    );
    return (flags & nonBlocking) === 0 ? [] : [{ fd: Number(fd), pipe, isWriter: (flags & accessMode) !== 0 }];
  } catch {
    return []; // closed since it was listed, as the one of the listing itself
  }
}
