// Every text under which policy looks at a resource URI: every way in which a server may read it. Only adds texts to
// decide on: the request goes on with the URI as it was given.
import { decodeFully } from './percent-decoding.js';
import { spellingsOf } from './resource-names.js';
import { reductionsOf } from './uri-reductions.js';

export interface ResourceReadings {
  /** The URI as given, and its other readings: all rules look at each, and an allow rule has to cover each. */
  readonly same: readonly string[];
  /** Those without the fragment, which no server is asked for, and a file without its query. Rules look at them alike. */
  readonly whole: readonly string[];
  /** The rest of them for a server that ignores a part of a URI. Only deny and approval rules look here. */
  readonly reduced: readonly string[];
}

/**
 * `same` holds the spellings of a URI by RFC 3986, what a URL parser makes of it (WHATWG URL: white space and control
 * characters are dropped, backslashes are slashes, slashes may be missing or too many), the spellings of that, and a file
 * path with its repeated slashes taken for one. URIs of files have no query (RFC 8089 section 2).
 */
export function resourceReadings(uri: string): ResourceReadings {
  if (isPlain(uri)) return { same: [uri], whole: [], reduced: [] };
  const same = new Set(sameReadings(uri));
  const whole = new Set([...same].map(withoutIgnored).filter((text) => !same.has(text)));
  const orders = ordersOf(uri).flatMap(spellingsOf);
  const reduced = new Set([...orders, ...[...same, ...whole, ...orders].flatMap(reductionsOf)]);
  return {
    same: [...same],
    whole: [...whole],
    reduced: [...reduced].filter((text) => !same.has(text) && !whole.has(text)),
  };
}

/** Spellings that mean the URI to every server, as `same` of the readings. */
export function sameReadings(uri: string): readonly string[] {
  if (isPlain(uri)) return [uri];
  const same = new Set([uri]);
  const add = (text: string) => {
    for (const spelling of spellingsOf(text)) same.add(spelling);
  };
  add(uri);
  add(cleaned(uri));
  for (const text of [...same]) if (URL.canParse(text)) add(new URL(text).href);
  for (const text of [...same]) if (isFileUri(text)) add(withSingleSlashes(text));
  return [...same];
}

/** In its normal form; policy compares names of files without case as well. */
export function isFileUri(uri: string): boolean {
  return uri.startsWith('file:');
}

/** A URI that no server reads as another one, but for its case: most are, and the catalog has many. */
function isPlain(uri: string): boolean {
  return /^(?!https?:|wss?:|ftp:|file:\/\/[^/])[a-z][a-z0-9+-]*:\/\/[a-z0-9-]*(?:\/[\w~!$&'()*+,=@-](?:[\w.~!$&'()*+,=@-]*[\w~!$&'()*+,=@-])?)+$/.test(
    uri,
  );
}

/** The changes of a URL parser before it parses the text, also where it then refuses the text. */
function cleaned(uri: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  return uri.replace(/^[\x00-\x20]+|[\x00-\x20]+$|[\t\r\n]/g, '').replaceAll('\\', '/');
}

/** The URI as other orders of work leave it: decoded before it is parsed, and a path that is never looked at as a URI. */
function ordersOf(uri: string): readonly string[] {
  const delimiters = { '?': '%3F', '#': '%23' };
  const asPath = /^[\0-\x20]*file:/i.test(uri)
    ? uri.replace(/[?#]/g, (mark) => delimiters[mark as keyof typeof delimiters])
    : uri;
  return [cleaned(decodeFully(uri)), asPath].filter((text) => text !== uri);
}

function withSingleSlashes(uri: string): string {
  return `file:///${uri
    .slice('file:'.length)
    .replace(/^\/+/, '')
    .replace(/\/{2,}/g, '/')}`;
}

/** A template has expressions such as `{#part}` and `{?query}`, which are no fragment and no query. */
function withoutIgnored(uri: string): string {
  const end = isFileUri(uri) ? /(?<!\{|%7B)[?#]/.exec(uri) : /(?<!\{|%7B)#/.exec(uri);
  return end === null ? uri : uri.slice(0, end.index);
}
