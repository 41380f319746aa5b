// The vectors in what an OpenAI-compatible endpoint has answered, checked: as many as were asked for, all of one length.
import { isJsonObject, type JsonValue } from '@portico/contracts';

/** The answer is unusable. Its message holds nothing of the answer but numbers. */
export class EmbeddingAnswerError extends Error {}

/** In the order of the texts. @throws EmbeddingAnswerError */
export function toVectors(body: unknown, count: number, dimensions: number | null): readonly Float32Array[] {
  const data = isJsonObject(body) ? body.data : undefined;
  if (!Array.isArray(data)) throw new EmbeddingAnswerError('the answer has no list of embeddings');
  if (data.length !== count) {
    throw new EmbeddingAnswerError(`the answer has ${data.length} embeddings for ${count} texts`);
  }
  const vectors: Float32Array[] = [];
  for (const [at, entry] of data.entries()) {
    const index = isJsonObject(entry) && typeof entry.index === 'number' ? entry.index : at;
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index] !== undefined) {
      throw new EmbeddingAnswerError('the answer numbers its embeddings wrongly');
    }
    vectors[index] = toVector(isJsonObject(entry) ? entry.embedding : undefined);
  }
  const expected = dimensions ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== expected);
  if (other !== undefined) {
    throw new EmbeddingAnswerError(`the answer has an embedding of ${other.length} dimensions instead of ${expected}`);
  }
  return vectors;
}

function toVector(embedding: JsonValue | undefined): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0) throw new EmbeddingAnswerError('an embedding is no list');
  const vector = new Float32Array(embedding.length);
  for (const [at, value] of embedding.entries()) {
    if (typeof value !== 'number') throw new EmbeddingAnswerError('an embedding holds something else than numbers');
    vector[at] = value;
  }
  if (!vector.every(Number.isFinite)) throw new EmbeddingAnswerError('an embedding holds a number out of range');
  return vector;
}
