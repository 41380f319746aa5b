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

/** Of an envelope that was read: the JSON text of its data. */
const writtenData = Symbol('writtenData');

/** An envelope with the JSON text of its `data`; undefined where it has an error. */
export interface WrittenEnvelope {
  readonly envelope: Envelope;
  readonly dataText: string | undefined;
}

/**
 * Reads what `envelopeText` has written. The data, which may be large, is parsed when it is first looked at.
 * @throws SyntaxError
 */
export function readEnvelope(text: string): WrittenEnvelope {
  const at = text.indexOf(beforeData); // no string before it holds a bare quote, and no context has such a member
  const isSuccess = text.startsWith('{"ok":true,') && at !== -1 && text.endsWith(afterData);
  if (!isSuccess) return { envelope: parseJson(text) as Envelope, dataText: undefined };
  const head = parseJson(`${text.slice(0, at)}}`) as EnvelopeHead;
  const dataText = text.slice(at + beforeData.length, -afterData.length);
  let data: JsonValue | undefined;
  const envelope: SuccessEnvelope = {
    ok: true,
    ...head,
    get data() {
      data ??= parseJson(dataText) as JsonValue;
      return data;
    },
    error: null,
  };
  Object.defineProperty(envelope, writtenData, { value: dataText }); // not enumerable: no copy has it
  return { envelope, dataText };
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
