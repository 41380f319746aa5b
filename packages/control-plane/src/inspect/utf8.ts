// UTF-8 by the platform's own encoder.
import { utf8Length } from '@portico/canonical-json';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  encoder.encodeInto(text, bytes);
  return bytes;
}

/** The same text in memory of its own: a part of a long text keeps all of that text alive. */
export const copyOf = (text: string): string => decoder.decode(toUtf8(text));
