// What of an entry a model reads. A change of it makes every kept vector one of another text: raise `embeddingTextVersion`.
import type { SearchDocument } from './search-document.js';

/** Version of `toEmbeddingText`; stored vectors of another version are of other texts. */
export const embeddingTextVersion = 1;

/** Descriptions this long say what they do at their beginning, and models read no more than a few hundred words. */
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_ARGUMENTS = 32;

/** Name and server in words, then summary and description, then the arguments' names. */
export function toEmbeddingText(document: SearchDocument): string {
  const { id, server, tool, summary, description, argumentNames } = document;
  const alias = id === `${server}.${tool}` ? '' : ` (${inWords(id)})`;
  const names = argumentNames.slice(0, MAX_ARGUMENTS).map(inWords);
  return [
    `${inWords(server)}: ${inWords(tool)}${alias}`,
    ...(description.startsWith(summary.replace(/…$/, '')) ? [] : [summary]),
    description.slice(0, MAX_DESCRIPTION_CHARS),
    ...(names.length === 0 ? [] : [`arguments: ${names.join(', ')}`]),
  ].join('\n');
}

/** `readTextFile`, `read_text_file` and `read-text-file` as models know them. */
function inWords(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[_.\-/]+/g, ' ')
    .trim()
    .toLowerCase();
}
