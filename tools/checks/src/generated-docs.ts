// The documents that are made from the code, and where they are kept; of some, a part between two comments.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandReference, troubleshootingDocument } from '@portico/cli';
import { configJsonSchema, openApiDocument } from '@portico/contracts';
import { version } from '@portico/host';
import { apiFolder, apiReference } from './api-reference.js';
import { callFlow } from './call-flow.js';
import { configReference } from './config-reference.js';
import { httpReference } from './http-reference.js';
import { stateReference } from './state-reference.js';
import { tourFrames } from './tour.js';

export interface GeneratedDocument {
  readonly file: string;
  readonly text: string;
}

export const generatedDocuments: readonly GeneratedDocument[] = [
  withPart('docs/architecture.md', 'the way of a call', await callFlow()),
  withPart('docs/tour.md', 'the recording', tourFrames()),
  { file: 'docs/cli-reference.md', text: commandReference(version) },
  { file: 'docs/config.schema.json', text: toText(configJsonSchema()) },
  { file: 'docs/openapi.json', text: toText(openApiDocument(version)) },
  { file: 'docs/configuration-reference.md', text: configReference(configJsonSchema()) },
  { file: 'docs/http-api-reference.md', text: httpReference(openApiDocument(version)) },
  { file: 'docs/state.md', text: stateReference() },
  { file: 'docs/troubleshooting.md', text: troubleshootingDocument() },
  ...(await apiReference()),
];

/** Files of the API reference that nothing generates any more. */
export function obsoleteDocuments(): readonly string[] {
  if (!existsSync(apiFolder)) return [];
  const generated = new Set(generatedDocuments.map(({ file }) => file));
  return readdirSync(apiFolder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(apiFolder, path))
    .filter((file) => file.endsWith('.md') && !generated.has(file));
}

/** @param part its name in the comments around it */
function withPart(file: string, part: string, content: string): GeneratedDocument {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`];
  const [before, rest = ''] = readFileSync(file, 'utf8').split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`${file} has no place for ${part}: ${begin} and ${end}`);
  return { file, text: `${before}${begin}\n\n${content}\n\n${end}${after}` };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
