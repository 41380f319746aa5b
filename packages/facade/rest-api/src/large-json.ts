// JSON of a value with long strings, as bytes and in steps: writing five megabytes at once blocks other work for some
// ten milliseconds. The text is that of JSON.stringify.
import type { Steps } from '@portico/async';
import { afterData, type Envelope, envelopeText, hasStringOver } from '@portico/contracts';
import type { Bytes } from './exchange.js';

/** Characters that are written in a fraction of a millisecond. */
export const longLength = 128 * 1024;

/** @param value as JSON.parse gives it, or with members that are undefined */
export function toJsonBytes(value: object): Steps<Bytes> {
  return encodeInSteps(textsOf(value));
}

/** The bytes of an envelope whose data is JSON text already. */
export function envelopeBytes(envelope: Envelope, dataText: string): Steps<Bytes> {
  return encodeInSteps(textsOfEnvelope(envelope, dataText));
}

function* textsOfEnvelope(envelope: Envelope, dataText: string): Generator<string> {
  const around = envelopeText(envelope, '');
  yield around.slice(0, -afterData.length);
  yield* partsOf(dataText);
  yield afterData;
}

function* encodeInSteps(texts: Iterable<string>): Steps<Bytes> {
  const encoder = new TextEncoder();
  const parts: Bytes[] = [];
  let length = 0;
  for (const text of texts) {
    const part = encoder.encode(text);
    parts.push(part);
    length += part.length;
    yield;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function* textsOf(value: unknown): Generator<string> {
  if (isLong(value)) yield* textsOfString(value);
  else if (typeof value !== 'object' || value === null || !hasStringOver(value, longLength))
    yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) yield* textsOfArray(value);
  else yield* textsOfObject(value);
}

function* textsOfArray(items: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* textsOf(item);
    before = ',';
  }
  yield ']'; // it has a long string, so it is not empty
}

function* textsOfObject(value: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* textsOf(member);
    before = ',';
  }
  yield '}';
}

function* textsOfString(long: string): Generator<string> {
  yield '"';
  for (const part of partsOf(long)) yield JSON.stringify(part).slice(1, -1);
  yield '"';
}

function* partsOf(long: string): Generator<string> {
  for (let from = 0; from < long.length; ) {
    let to = from + longLength;
    while (isHighSurrogate(long.charCodeAt(to - 1))) to += 1; // a pair is written as one
    yield long.slice(from, to);
    from = to;
  }
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > longLength;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
