// Whether the model of search can be used, without a daemon.
import type { SearchConfig } from '@portico/contracts';
import { readBuiltInModel } from '@portico/delivery';

/**
 * Why the built-in model cannot be used; undefined if it can, or where the configuration wants another or none.
 * @param file of the model; the installed one by default
 */
export async function inspectSearchModel(
  { semantic, embeddings }: SearchConfig,
  file?: string,
): Promise<string | undefined> {
  if (semantic === 'off' || embeddings !== null) return undefined;
  try {
    await readBuiltInModel(file);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
