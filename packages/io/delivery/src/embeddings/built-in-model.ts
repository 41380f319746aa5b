// The model that comes with the product: read from the package @portico/embeddings-en when it is first needed.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { loadModel, type StaticModel } from '@portico/embeddings-en';

/**
 * Reads and checks the model.
 * @param file of the model; the installed one by default
 * @throws Error that names the file and says what is wrong with it, and how to fix it
 */
export async function readBuiltInModel(file?: string): Promise<StaticModel> {
  const path = file ?? installedModel();
  try {
    return loadModel(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: ${reason}; install Portico again to get it back, or set search.semantic to "off"`);
  }
}

function installedModel(): string {
  return createRequire(import.meta.url).resolve('@portico/embeddings-en/model');
}
