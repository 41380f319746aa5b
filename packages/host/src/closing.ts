// Resources that have been opened. Closes each of them once, in the opposite order, even if others fail to close.

export interface Closing {
  /** To be called right after something was opened. */
  add(close: () => void | Promise<void>): void;
  /** Safe to call twice. */
  close(): Promise<void>;
}

export function createClosing(): Closing {
  const opened: (() => void | Promise<void>)[] = [];
  let closed: Promise<void> | undefined;

  const closeAll = async () => {
    const failures: unknown[] = [];
    for (const close of opened.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  return {
    add: (close) => void opened.push(close),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}
