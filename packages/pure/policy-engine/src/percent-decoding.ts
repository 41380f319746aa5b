// Percent-encoded octets (RFC 3986 section 2.1) to characters, as far as they are UTF-8 (RFC 3629).
// Never throws: octets that are no UTF-8 stay as they are, with their hex digits in upper case.

const hex = '[\\dA-F]';
const tail = `%[89AB]${hex}`;

/** Every octet; octets that make up one character of UTF-8 (RFC 3629 section 4) come together. */
const octets = new RegExp(
  [
    `%[0-7]${hex}`,
    `%(?:C[2-9A-F]|D${hex})${tail}`,
    `%E0%[AB]${hex}${tail}`,
    `%E[1-9A-CEF]${tail}${tail}`,
    `%ED%[89]${hex}${tail}`,
    `%F0%[9AB]${hex}${tail}${tail}`,
    `%F[1-3]${tail}${tail}${tail}`,
    `%F4%8${hex}${tail}${tail}`,
    `%${hex}${hex}`,
  ].join('|'),
  'gi',
);

/** One pass over the text: what comes out of an octet is not read again. */
export function decodeOnce(text: string): string {
  return text.replace(octets, (run) => (isBareOctet(run) ? run.toUpperCase() : decodeURIComponent(run)));
}

/** One pass that decodes only the unreserved characters, which RFC 3986 section 6.2.2.2 calls equivalent. */
export function decodeUnreserved(text: string): string {
  return text.replace(octets, (run) => {
    const character = run.length === 3 && !isBareOctet(run) ? decodeURIComponent(run) : '';
    return /[A-Za-z0-9._~-]/.test(character) ? character : run.toUpperCase();
  });
}

/** Decodes until nothing is left to decode, for servers behind something that decodes too. Linear, not pass by pass. */
export function decodeFully(text: string): string {
  return text.includes('%') ? decodeOnce(collapseAscii(text)) : text;
}

/** Octets from %80 up, alone, are no character. */
function isBareOctet(run: string): boolean {
  return run.length === 3 && run.charCodeAt(1) >= 0x38;
}

/** Reduces ASCII octets as soon as they are complete, so that `%2541` and `%%34%31` end as `A`. */
function collapseAscii(text: string): string {
  const out: string[] = [];
  for (let i = 0; i < text.length; i += 1) {
    out.push(text.charAt(i));
    for (let code = asciiOctet(out); code !== undefined; code = asciiOctet(out)) {
      out.length -= 3;
      out.push(String.fromCharCode(code));
    }
  }
  return out.join('');
}

function asciiOctet(out: readonly string[]): number | undefined {
  if (out[out.length - 3] !== '%') return undefined;
  const high = hexValue(out[out.length - 2]);
  const low = hexValue(out[out.length - 1]);
  return high === undefined || low === undefined || high > 7 ? undefined : high * 16 + low;
}

function hexValue(character: string | undefined): number | undefined {
  const value = '0123456789abcdef'.indexOf((character ?? '-').toLowerCase());
  return value === -1 ? undefined : value;
}
