// The text of an entry that a model reads. A change of it invalidates every stored vector: raise `embeddingTextVersion`.
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

/** The purpose of a tool: server and name in words on one line, then the summary. */
function toGist({ server, tool, summary }: SearchDocument): string {
  return `${inWords(server)}: ${inWords(tool)}\n${summary}`;
}

/**
 * The vector of an entry by a model that takes microseconds: of its whole text and of its gist alike, so that a long
 * description or many arguments do not drown what the tool is for. Not of length 1.
 * @param embed gives vectors of length 1, or of zeros
 */
export function embedDocument(document: SearchDocument, embed: (text: string) => Float32Array): Float32Array {
  const gist = embed(toGist(document));
  return embed(toEmbeddingText(document)).map((value, at) => value + (gist[at] ?? 0));
}

/** `readTextFile`, `read_text_file` and `read-text-file` as models know them. */
function inWords(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/[_.\-/]+/g, ' ')
    .trim()
    .toLowerCase();
}
