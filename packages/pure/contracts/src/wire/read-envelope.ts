// Envelopes that were kept as JSON text: read without their data, which may be large, and written again with the very text
// of it. Never reads what others than `envelopeText` have written.
import { exactJson } from '../exact-numbers.js';
import { isJsonObject, type JsonValue } from '../json.js';
import { parseJson } from '../parse-json.js';
import {
  afterData,
  beforeData,
  type Envelope,
  type EnvelopeHead,
  envelopeText,
  type SuccessEnvelope,
} from './envelope.js';

/** The JSON text of the data in an envelope that was read. */
const writtenData = Symbol('writtenData');

/** An envelope with the JSON text of its `data`; undefined if it has an error. */
export interface WrittenEnvelope {
  readonly envelope: Envelope;
  readonly dataText: string | undefined;
}

/** Characters of an envelope that is parsed whole: up to there that takes half as long as to put its data off. */
const shortLength = 4096;

/**
 * Reads what `envelopeText` has written. Data that may be large is parsed when it is first looked at.
 * @throws SyntaxError
 */
export function readEnvelope(text: string): WrittenEnvelope {
  const at = text.indexOf(beforeData); // no string before it holds a bare quote, and no context has such a member
  const isSuccess = text.startsWith('{"ok":true,') && at !== -1 && text.endsWith(afterData);
  if (!isSuccess) return { envelope: parseJson(text) as Envelope, dataText: undefined };
  const dataText = text.slice(at + beforeData.length, -afterData.length);
  const envelope = text.length <= shortLength ? (parseJson(text) as SuccessEnvelope) : withLateData(text, at, dataText);
  Object.defineProperty(envelope, writtenData, { value: dataText }); // not enumerable: no copy has it
  return { envelope, dataText };
}

/** In a function of its own: an envelope that is parsed whole needs no context for the getter. */
function withLateData(text: string, at: number, dataText: string): SuccessEnvelope {
  const head = parseJson(`${text.slice(0, at)}}`) as EnvelopeHead;
  let data: JsonValue | undefined;
  return {
    ok: true,
    ...head,
    get data() {
      data ??= parseJson(dataText) as JsonValue;
      return data;
    },
    error: null,
  };
}

/** The JSON text of the data of an envelope that was read; undefined for another one, or one with an error. */
export function writtenDataOf(envelope: Envelope): string | undefined {
  return isRead(envelope) ? envelope[writtenData] : undefined;
}

/** The JSON text of a document of the API, in which envelopes that were read keep the text of their data. */
export function documentText(document: object): string {
  const members = Object.entries(document).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${memberText(member)}`).join()}}`;
}

function memberText(member: unknown): string {
  if (isRead(member)) return envelopeText(member, member[writtenData]);
  const holdsEnvelopes = isJsonObject(member) && Object.values(member).some(isRead);
  return holdsEnvelopes ? documentText(member) : exactJson(member);
}

type ReadEnvelope = SuccessEnvelope & { readonly [writtenData]: string };

function isRead(member: unknown): member is ReadEnvelope {
  return typeof member === 'object' && member !== null && writtenData in member;
}
