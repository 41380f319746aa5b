// Where a JSON text is wrong, in words that show nothing of it: it may hold secrets.
import { type ParseError, printParseErrorCode } from 'jsonc-parser';

/** Descriptions of the parser's error codes. */
const reasons: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: 'an unknown word; texts need double quotes',
  InvalidNumberFormat: 'a number that is not written as JSON has them',
  PropertyNameExpected: 'a name in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing } is expected here',
  CloseBracketExpected: 'a closing ] is expected here',
  EndOfFileExpected: 'more follows after the end',
  InvalidCommentToken: 'a comment, which JSON does not have',
  UnexpectedEndOfComment: 'a comment that does not end',
  UnexpectedEndOfString: 'a text that does not end; a double quote is missing',
  UnexpectedEndOfNumber: 'a number that does not end',
  InvalidUnicode: 'a \\u escape without four hexadecimal digits',
  InvalidEscapeCharacter: 'an unknown escape after a backslash',
  InvalidCharacter: 'a control character, which has to be written as an escape',
  '<unknown ParseErrorCode>': 'it cannot be read from here',
};

export interface JsonProblem {
  readonly place: string;
  readonly message: string;
}

/** Lines and columns count from 1. */
export function describeJsonProblem(text: string, { offset, error }: ParseError): JsonProblem {
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return { place, message: `not valid JSON: ${reasons[printParseErrorCode(error)]}` };
}
