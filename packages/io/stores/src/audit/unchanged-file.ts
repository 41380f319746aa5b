// Whether the path of a log still names the file that was opened, and its length is unchanged. A difference is not
// repaired: the operator has to restore the file.
import type { FileState } from './log-handle.js';

/** The file is not as it was left. The code is a word of its own, since the system has none for it. */
export class ChangedFileError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** @param mayBeLonger after a write that failed, which may have left a part of itself. @throws ChangedFileError */
export function checkUnchanged(
  path: string,
  { identity, size }: FileState,
  found: FileState | undefined,
  mayBeLonger: boolean,
): void {
  if (found === undefined) throw new ChangedFileError('file_removed', `${path} was removed while the service runs`);
  if (found.identity !== identity)
    throw new ChangedFileError('file_replaced', `${path} was replaced while the service runs`);
  if (found.size < size) {
    throw new ChangedFileError(
      'file_cut',
      `${path} was cut while the service runs: ${found.size} of ${size} bytes are left`,
    );
  }
  if (found.size > size && !mayBeLonger) {
    throw new ChangedFileError('file_grown', `${path} was changed by another process while the service runs`);
  }
}
