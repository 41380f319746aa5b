// The layout of a model's file: a line of JSON, the vocabulary, a scale per piece, and a row of 8-bit numbers per piece.
// Never trusts the file: its length and its checksum are compared with what the line says.
import { parseJson } from '@portico/contracts';

/** A file that is no model, or is not whole. The message says what is wrong with it. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

export interface ModelFile {
  /** SHA-256 of what follows the header, in hexadecimal: names the model. */
  readonly digest: string;
  readonly dimensions: number;
  /** The word pieces in UTF-8, with a newline between each and the next. */
  readonly vocabulary: Uint8Array;
  /** One factor per piece: a row times its factor is the weighted vector. */
  readonly scales: Float32Array;
  /** `dimensions` numbers per piece. */
  readonly rows: Int8Array;
}

interface Header {
  readonly format: string;
  readonly dimensions: number;
  readonly pieces: number;
  readonly vocabularyBytes: number;
  readonly crc32: number;
  readonly digest: string;
}

const FORMAT = 'portico-static-embeddings-1';
const MAX_HEADER_BYTES = 8_192;
const NEWLINE = 10;

/**
 * Large parts of the result are views of the bytes and no copies, so the bytes must not change afterwards.
 * @throws ModelError
 */
export function readModelFile(bytes: Uint8Array): ModelFile {
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  if (end < 0) throw new ModelError('it does not begin with a line that describes a model');
  const { dimensions, pieces: count, vocabularyBytes, crc32, digest } = toHeader(bytes.subarray(0, end));
  const body = bytes.subarray(end + 1);
  const expected = vocabularyBytes + count * 4 + count * dimensions;
  if (body.length !== expected) throw new ModelError(`it has ${body.length} bytes of data where it says ${expected}`);
  if (checksumOf(body) !== crc32) throw new ModelError('its data does not have the checksum that it says');
  const vocabulary = body.subarray(0, vocabularyBytes);
  const pieces = countPieces(vocabulary);
  if (pieces !== count) throw new ModelError(`it has ${pieces} word pieces where it says ${count}`);
  const scalesAt = body.byteOffset + vocabularyBytes;
  return {
    digest,
    dimensions,
    vocabulary,
    scales: toFloats(new DataView(body.buffer, scalesAt, count * 4)),
    rows: new Int8Array(body.buffer, scalesAt + count * 4, count * dimensions),
  };
}

function countPieces(vocabulary: Uint8Array): number {
  let count = 1;
  for (let at = 0; at < vocabulary.length; at += 1) if (vocabulary[at] === NEWLINE) count += 1;
  return count;
}

function toHeader(line: Uint8Array): Header {
  let header: Partial<Header>;
  try {
    header = parseJson(new TextDecoder().decode(line)) as Partial<Header>; // checked below
  } catch {
    throw new ModelError('its first line is no JSON');
  }
  if (header?.format !== FORMAT)
    throw new ModelError(`its format is ${JSON.stringify(header?.format)}, not "${FORMAT}"`);
  const { format, dimensions, pieces, vocabularyBytes, crc32, digest } = header;
  const areCounts = [dimensions, pieces, vocabularyBytes].every(
    (count) => Number.isSafeInteger(count) && Number(count) > 0,
  );
  if (!areCounts || typeof crc32 !== 'number' || typeof digest !== 'string') {
    throw new ModelError('its first line lacks a size, a checksum or a digest');
  }
  return {
    format,
    digest,
    crc32,
    dimensions: Number(dimensions),
    pieces: Number(pieces),
    vocabularyBytes: Number(vocabularyBytes),
  };
}

/** Little-endian, on every machine. */
function toFloats(view: DataView): Float32Array {
  const floats = new Float32Array(view.byteLength / 4);
  for (let at = 0; at < floats.length; at += 1) floats[at] = view.getFloat32(at * 4, true);
  return floats;
}

/** CRC-32 as zlib computes it (reflected polynomial 0xEDB88320). */
function checksumOf(bytes: Uint8Array): number {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let crc = -1;
  for (let at = 0; at < bytes.length; at += 1) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0);
  return (crc ^ -1) >>> 0;
}
