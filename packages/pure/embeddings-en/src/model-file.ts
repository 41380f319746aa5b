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
  readonly pieces: readonly string[];
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

/** @throws ModelError */
export function readModelFile(bytes: Uint8Array): ModelFile {
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(NEWLINE);
  if (end < 0) throw new ModelError('it does not begin with a line that describes a model');
  const { dimensions, pieces: count, vocabularyBytes, crc32, digest } = toHeader(bytes.subarray(0, end));
  const body = bytes.subarray(end + 1);
  const expected = vocabularyBytes + count * 4 + count * dimensions;
  if (body.length !== expected) throw new ModelError(`it has ${body.length} bytes of data where it says ${expected}`);
  if (checksumOf(body) !== crc32) throw new ModelError('its data does not have the checksum that it says');
  const pieces = new TextDecoder().decode(body.subarray(0, vocabularyBytes)).split('\n');
  if (pieces.length !== count) throw new ModelError(`it has ${pieces.length} word pieces where it says ${count}`);
  const numbers = new Uint8Array(body.subarray(vocabularyBytes)); // a copy begins at a multiple of 4
  return {
    digest,
    dimensions,
    pieces,
    scales: toFloats(numbers, count),
    rows: new Int8Array(numbers.buffer, count * 4, count * dimensions),
  };
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
function toFloats(bytes: Uint8Array, count: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, count * 4);
  return Float32Array.from({ length: count }, (_, at) => view.getFloat32(at * 4, true));
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
