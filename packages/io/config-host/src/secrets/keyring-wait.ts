// A keyring that waits to be unlocked cannot be cancelled, only be left alone.
import { KeyringUnavailable } from './keyring.js';

/** @throws KeyringUnavailable when the time is over, the reason of an aborted signal, and what `work` throws */
export function waitForKeyring<T>(work: Promise<T>, limitMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    const onLate = () =>
      reject(new KeyringUnavailable(`the keyring gave no answer within ${limitMs} ms; it may wait to be unlocked`));
    const timer = setTimeout(onLate, limitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    work.then(resolve, reject).finally(settle);
  });
}
