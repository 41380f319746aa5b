// Has a model on this machine turn text into vectors, by @huggingface/transformers where that is installed. Loads nothing
// before it is asked, and downloads nothing where the model is a folder.

import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toAbortSignal } from '@portico/async';
import type { TransformersEmbeddings } from '@portico/contracts';
import type { Embedder } from '@portico/control-plane';
import { inBatches } from './batches.js';
import { createModelProcess } from './model-process.js';
import type { ModelAnswer, ModelProgramInput } from './model-program.js';
import { EmbedderError } from './openai-embedder.js';

export interface TransformersEmbedderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of a relative folder. */
  readonly directory: string;
  /** Address of the library; the one that is installed with Portico by default. */
  readonly moduleUrl?: string;
  readonly timeoutMs?: number;
}

export interface ClosableEmbedder extends Embedder {
  /** Ends what it has started. */
  close(): Promise<void>;
}

const packageName = '@huggingface/transformers';

/** Rejects with EmbedderError, or the reason of the signal. */
export function createTransformersEmbedder(
  { model }: TransformersEmbeddings,
  { env, directory, moduleUrl, timeoutMs = 600_000 }: TransformersEmbedderOptions,
): ClosableEmbedder {
  const input = (): ModelProgramInput => ({ moduleUrl: moduleUrl ?? findModule(), ...placeOf(model, directory) });
  const process = createModelProcess(input, { env, timeoutMs });
  return {
    id: `transformers ${model}`,
    async embed(texts, given) {
      const signal = toAbortSignal(given);
      const vectors: Float32Array[] = [];
      for (const batch of inBatches(texts)) {
        vectors.push(...toVectors(await process.ask({ texts: batch }, signal), batch.length));
      }
      return vectors;
    },
    close: process.close,
  };
}

/** @throws EmbedderError when it is not installed */
function findModule(): string {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve(packageName)).href;
  } catch {
    throw new EmbedderError(
      `the package ${packageName} is not installed; run \`npm install ${packageName}\` where Portico is installed`,
    );
  }
}

/** @throws EmbedderError for a path where no folder is */
function placeOf(model: string, directory: string): Pick<ModelProgramInput, 'model' | 'folder'> {
  const path = resolve(directory, model);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return { model: basename(path), folder: `${dirname(path)}${sep}` };
  if (isAbsolute(model) || model.startsWith('.')) throw new EmbedderError(`there is no model folder ${path}`);
  return { model, folder: null };
}

function toVectors(answer: ModelAnswer, count: number): readonly Float32Array[] {
  if ('reason' in answer) throw new EmbedderError(`the model failed: ${answer.reason}`);
  const { values, dimensions } = answer;
  if (values.length !== dimensions * count) throw new EmbedderError(`the model did not give ${count} vectors`);
  return Array.from({ length: count }, (_, at) => values.slice(at * dimensions, (at + 1) * dimensions));
}
