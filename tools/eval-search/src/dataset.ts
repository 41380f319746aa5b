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
  return readQueries('queries-dev.json');
}

function readQueries(file: string): readonly GradedQuery[] {
  // As above.
  return (readData(file) as { queries: readonly GradedQuery[] }).queries;
}

/** Questions, and the tools that they are asked of. */
export interface EvaluationSet {
  readonly name: string;
  readonly queries: readonly GradedQuery[];
  readonly documents: readonly SearchDocument[];
}

export function readSets(): readonly EvaluationSet[] {
  const set = (name: string, queries: string, tools: string) => ({
    name,
    queries: readQueries(queries),
    documents: readTools(tools).map(toDocument),
  });
  return [
    set('21 questions, 45 tools', 'queries-dev.json', 'tools-45.json'),
    set('MetaTool, 2,000 questions, 199 plugins', 'metatool-dev-2000.json', 'metatool-dev-2000.json'),
    set('LiveMCPBench, 40 tasks, 527 tools', 'livemcp-dev-40.json', 'tools-527.json'),
  ];
}

/** The ten best of the teacher for each question, by set and question. Made by tools/embeddings/rank.py. */
export function readTeacher(): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  return (readData('teacher-ranks.json') as { ranks: Record<string, Record<string, readonly string[]>> }).ranks;
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
    digest: `${tool.server}.${tool.name}`,
  };
}

function readData(file: string): unknown {
  return JSON.parse(readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8'));
}

/** Up to the first full stop, question or exclamation mark before white space, or the end of the line. */
function firstSentence(text: string): string {
  return text.trim().split(/(?<=[.!?])\s|\n/, 1)[0] ?? '';
}
