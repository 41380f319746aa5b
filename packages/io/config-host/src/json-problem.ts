// Where a JSON text is wrong, in words that show nothing of it: it may hold secrets.
import { type ParseError, printParseErrorCode } from 'jsonc-parser';

export interface JsonProblem {
  readonly place: string;
  readonly message: string;
}

/** Lines and columns count from 1. */
export function describeJsonProblem(text: string, { offset, error }: ParseError): JsonProblem {
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { place, message: `not valid JSON: ${printParseErrorCode(error)}` };
}
