// Reads the labelled data beside this tool and turns its tools into search documents.
// Never writes, and never adds a word that the data does not have.
import { readFileSync } from 'node:fs';
import type { SearchDocument } from '@portico/search';
import type { Grades } from './metrics.js';

export interface Tool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly input_schema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

export interface GradedQuery {
  readonly id: string;
  readonly text: string;
  readonly relevant: Grades;
}

const SUMMARY_CHARS = 160;

/** The tools of `tools-45.json` or `tools-527.json`. */
export function readTools(file: string): readonly Tool[] {
  // The files are part of this repository; their shape is written down in data/README.md.
  return (readData(file) as { tools: readonly Tool[] }).tools;
}

/** The graded queries of the dev half. */
export function readDevQueries(): readonly GradedQuery[] {
  // As above.
  return (readData('queries-dev.json') as { queries: readonly GradedQuery[] }).queries;
}

/** One document per tool, the way the catalog describes tools that declare nothing about themselves. */
export function toDocument(tool: Tool): SearchDocument {
  return {
    id: `${tool.server}.${tool.name}`,
    server: tool.server,
    tool: tool.name,
    summary: firstSentence(tool.description).slice(0, SUMMARY_CHARS),
    description: tool.description,
    tags: [tool.server],
    argumentNames: Object.keys(tool.input_schema?.properties ?? {}),
    mode: 'write',
  };
}

function readData(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8'));
}

/** Up to the first full stop, question or exclamation mark before white space, or the end of the line. */
function firstSentence(text: string): string {
  return text.trim().split(/(?<=[.!?])\s|\n/, 1)[0] ?? '';
}
