// The spellings of a pattern or a template of URIs: a rule on `%7Ea` is a rule on `~a` too, since it is compared with readings
// of what is asked for. Only adds texts; a fragment or a query that is written out stays what it is.
import { sameReadings } from './resource-readings.js';

/** Literal texts, between which anything may stand. */
export type Pieces = readonly string[];

/** The pieces as given, and their other spellings where they are of a URI that has some. */
export function piecesSpelled(given: Pieces): readonly Pieces[] {
  if (!given.some((piece) => /[%:\\]/.test(piece))) return [given];
  const anything = tokenOutside(given);
  return sameReadings(given.join(anything)).map((text) => text.split(anything));
}

/** The same of a pattern over ids, `<server>.<uri>`. */
export function patternSpelled(pattern: string): readonly Pieces[] {
  const [server] = /^[\w*-]*\./.exec(pattern) ?? [''];
  const before = server.split('*');
  const last = before.at(-1) ?? '';
  return piecesSpelled(pattern.slice(server.length).split('*')).map(([first = '', ...rest]) => [
    ...before.slice(0, -1),
    last + first,
    ...rest,
  ]);
}

/** A word that no spelling changes, and that ends no escape: its letters are lower case and its first is no hex digit. */
function tokenOutside(given: Pieces): string {
  const text = given.join(' ').toLowerCase();
  let token = 'whatever';
  while (text.includes(token)) token += 'z';
  return token;
}
