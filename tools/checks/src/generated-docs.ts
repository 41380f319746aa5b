// The documents that are made from the code, and where they are kept.
import { configJsonSchema, openApiDocument } from '@portico/contracts';
import { version } from '@portico/host';

export interface GeneratedDocument {
  readonly file: string;
  readonly text: string;
}

export const generatedDocuments: readonly GeneratedDocument[] = [
  { file: 'docs/config.schema.json', text: toText(configJsonSchema()) },
  { file: 'docs/openapi.json', text: toText(openApiDocument(version)) },
];

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
