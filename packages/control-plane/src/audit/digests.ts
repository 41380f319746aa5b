// Digests of what went in and what came out, so that equal calls and equal results can be seen in the log. Both are
// digested under a key: who has the log, and not the key, cannot try out which secret fits.
import { canonicalize, hmacSha256Hex } from '@portico/canonical-json';
import { type JsonObject, sizeUpTo } from '@portico/contracts';

/** Characters and values of arguments, and characters of a result, beyond which they are not digested. */
export const maxDigested = 65_536;

const digits = 32;

/** @param dataText of the result; undefined if it is not available */
export function digestsOf(
  key: string,
  args: JsonObject,
  dataText: string | undefined,
): { readonly args: string | undefined; readonly result: string | undefined } {
  const hasResult = dataText !== undefined && dataText.length <= maxDigested;
  return {
    args: sizeUpTo([args], maxDigested) > maxDigested ? undefined : digestOfArgs(key, args),
    result: hasResult ? hmacSha256Hex(key, dataText).slice(0, digits) : undefined,
  };
}

/** Undefined for what has no canonical form, such as half a surrogate pair. */
function digestOfArgs(key: string, args: JsonObject): string | undefined {
  try {
    return hmacSha256Hex(key, canonicalize(args)).slice(0, digits);
  } catch {
    return undefined;
  }
}
