// Every id under which policy looks at a resource URI: what anybody may take the text for who reads it.
// Only adds ids to decide on: the request goes on with the URI as it was given.
import { spellingsOf } from './resource-names.js';

/**
 * The id `<server>.<uri>` as given, and those of all other readings of the URI: its spellings by RFC 3986, what a URL
 * parser makes of it (WHATWG URL: white space and control characters are dropped, backslashes are slashes, slashes may be
 * missing or too many), the spellings of that, and a file path with its repeated slashes taken for one.
 * The caller decides on each id on its own; the strictest decision holds.
 */
export function resourceReadings(server: string, uri: string): readonly string[] {
  if (isPlain(uri)) return [`${server}.${uri}`];
  const readings = new Set([uri]);
  const add = (text: string) => {
    for (const id of spellingsOf(server, text)) readings.add(id.slice(server.length + 1));
  };
  add(uri);
  add(cleaned(uri));
  for (const text of [...readings]) if (URL.canParse(text)) add(new URL(text).href);
  for (const text of [...readings]) if (text.startsWith('file:')) add(withSingleSlashes(text));
  return [...readings].map((reading) => `${server}.${reading}`);
}

/** A URI that nobody reads as another one: most are, and the catalog has many. */
function isPlain(uri: string): boolean {
  return /^(?!https?:|wss?:|ftp:|file:\/\/[^/])[a-z][a-z0-9+-]*:\/\/[a-z0-9-]*(?:\/[\w~!$&'()*+,;=:@-][\w.~!$&'()*+,;=:@-]*)+$/.test(
    uri,
  );
}

/** What a URL parser does before it looks at the text, also where it then makes nothing of it. */
function cleaned(uri: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  return uri.replace(/^[\x00-\x20]+|[\x00-\x20]+$|[\t\r\n]/g, '').replaceAll('\\', '/');
}

function withSingleSlashes(uri: string): string {
  return `file:///${uri
    .slice('file:'.length)
    .replace(/^\/+/, '')
    .replace(/\/{2,}/g, '/')}`;
}
