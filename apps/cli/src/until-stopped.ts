// A stopped command does not wait for an answer that is not read any more.

/** Does not begin work that is already stopped. @throws the reason of `stopped` */
export async function untilStopped<T>(begin: () => Promise<T>, stopped: AbortSignal): Promise<T> {
  stopped.throwIfAborted();
  let stop = () => {};
  const end = new Promise<never>((_, reject) => {
    stop = () => reject(stopped.reason);
    stopped.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([begin(), end]);
  } finally {
    stopped.removeEventListener('abort', stop);
  }
}
