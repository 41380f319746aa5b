// The documents that are made from the code, and where they are kept.
import { commandReference, troubleshootingDocument } from '@portico/cli';
import { configJsonSchema, openApiDocument } from '@portico/contracts';
import { version } from '@portico/host';
import { configReference } from './config-reference.js';
import { httpReference } from './http-reference.js';
import { stateReference } from './state-reference.js';

export interface GeneratedDocument {
  readonly file: string;
  readonly text: string;
}

export const generatedDocuments: readonly GeneratedDocument[] = [
  { file: 'docs/cli-reference.md', text: commandReference(version) },
  { file: 'docs/config.schema.json', text: toText(configJsonSchema()) },
  { file: 'docs/openapi.json', text: toText(openApiDocument(version)) },
  { file: 'docs/configuration-reference.md', text: configReference(configJsonSchema()) },
  { file: 'docs/http-api-reference.md', text: httpReference(openApiDocument(version)) },
  { file: 'docs/state.md', text: stateReference() },
  { file: 'docs/troubleshooting.md', text: troubleshootingDocument() },
];

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
