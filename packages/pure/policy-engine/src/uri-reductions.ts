// Reduces a URI as a server does that ignores some part of it, or that maps several texts to one name. Only for rules
// that narrow: a server may also read all of it.
import { spellingsOf } from './resource-names.js';

type Reduce = (uri: string) => string;

/** Without its query and fragment. */
const withoutQuery: Reduce = (uri) => cutAt(uri, /[?#]/);

/** The same for a server that decodes the text before it takes it apart. */
const withoutEncodedQuery: Reduce = (uri) => cutAt(uri, /[?#]|%(?:25)*(?:3f|23)/i);

/** Up to the first NUL, where a program in C takes a text to end. */
const upToNul: Reduce = (uri) => cutAt(uri, /\0/);

/** Without parameters of path segments (RFC 3986 section 3.3), and as `%3B`-decoded texts have them. */
const withoutParameters: Reduce = (uri) => uri.replace(/;[^/?#]*/g, '');

/** Without user information, and a file without its host: many servers look at the path only. */
const withoutAuthority: Reduce = (uri) =>
  uri.startsWith('file:')
    ? uri.replace(/^file:\/\/[^/?#]+(?=\/)/, 'file://')
    : uri.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/?#@]*@/, '$1');

/** With one slash between segments. Those in front of a file's path may be what is left of a host that was dropped. */
const withSingleSlashes: Reduce = (uri) => uri.replace(/^file:\/{4,}/, 'file:///').replace(/(?<=[^:/])\/{2,}/g, '/');

/** Full-width and other compatible characters as the plain ones (Unicode NFKC), which may be dots and slashes. */
const withPlainCharacters: Reduce = (uri) => uri.normalize('NFKC').replaceAll('\\', '/');

/** A name without what Windows drops at its end: a stream (`::$DATA`), then dots and spaces; and without trailing slashes. */
const withoutTails: Reduce = (uri) =>
  withoutStream(uri)
    .split('/')
    .map((segment) => withoutEnd(segment, '. ') || segment)
    .join('/')
    .replace(/(?<=[^/])\/$/, '');

// The authority first: an escaped delimiter in it ends no path.
const ofAll: readonly Reduce[] = [
  withoutAuthority,
  withoutEncodedQuery,
  withoutQuery,
  upToNul,
  withoutParameters,
  withSingleSlashes,
];
const ofFiles: readonly Reduce[] = [...ofAll, withPlainCharacters, withoutTails];

/** Each reduction alone, and each on top of those before it. Texts that are equal to the URI are left out. */
export function reductionsOf(uri: string): readonly string[] {
  const found = new Set<string>();
  const reductions = uri.startsWith('file:') ? ofFiles : ofAll;
  let all = uri;
  for (const reduce of reductions) {
    found.add(reduce(uri));
    all = reduce(all);
    found.add(all);
  }
  // The rest may have dot segments that were ordinary before, and a tail behind these.
  for (const spelling of all === uri ? [] : spellingsOf(all)) {
    found.add(spelling);
    found.add(reductions.reduce((text, reduce) => reduce(text), spelling));
  }
  found.delete(uri);
  return [...found];
}

function cutAt(uri: string, pattern: RegExp): string {
  const at = uri.search(pattern);
  return at === -1 ? uri : uri.slice(0, at);
}

/** A colon behind one letter is a drive's, as in `C:`. */
function withoutStream(uri: string): string {
  const nameAt = uri.lastIndexOf('/') + 1;
  const colonAt = uri.indexOf(':', nameAt);
  return nameAt > 0 && colonAt > nameAt + 1 ? uri.slice(0, colonAt) : uri;
}

function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
