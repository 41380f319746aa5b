// Edits arguments in the user's own editor: in a file that only they can read and that is deleted afterwards.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseExact, writeExactLines } from '@portico/contracts';
import { signals } from '../shell/terminal-mode.js';
import { diffLines } from './diff-lines.js';
import type { EditedArguments } from './state.js';

export type Edit =
  | { readonly kind: 'edited'; readonly edited: EditedArguments }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'unusable'; readonly text: string; readonly problem: string };

/** @param text what an earlier try left; the arguments themselves without one */
export async function editArguments(args: JsonObject, text: string | null, env: NodeJS.ProcessEnv): Promise<Edit> {
  const before = toText(args);
  const folder = await mkdtemp(join(tmpdir(), 'portico-edit-')); // 0700
  const editing = new AbortController();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const release = removeAtEnd(remove, editing);
  try {
    const file = join(folder, 'arguments.json');
    await writeFile(file, text ?? before, { mode: 0o600 });
    const problem = await runEditor(env.VISUAL || env.EDITOR || fallback(), file, editing.signal);
    const typed = await readFile(file, 'utf8').catch(() => text ?? before);
    return problem === undefined ? readEdit(before, typed) : { kind: 'unusable', text: typed, problem };
  } finally {
    remove();
    release();
  }
}

/** Removes however the process ends. Ctrl-C is the editor's, which shares the terminal. Gives the function that ends this. */
function removeAtEnd(remove: () => void, editing: AbortController): () => void {
  const end = (signal: 'SIGHUP' | 'SIGTERM') => {
    editing.abort();
    process.exit(signals[signal]);
  };
  const ignore = () => {};
  process.on('exit', remove);
  process.on('SIGHUP', end);
  process.on('SIGTERM', end);
  process.on('SIGINT', ignore);
  return () => {
    process.off('exit', remove);
    process.off('SIGHUP', end);
    process.off('SIGTERM', end);
    process.off('SIGINT', ignore);
  };
}

export function readEdit(before: string, text: string): Edit {
  let args: unknown;
  try {
    args = parseExact(text);
  } catch (error) {
    return { kind: 'unusable', text, problem: error instanceof Error ? error.message : String(error) };
  }
  if (!isJsonObject(args)) return { kind: 'unusable', text, problem: 'arguments are one JSON object' };
  const after = toText(args);
  if (after === before) return { kind: 'unchanged' };
  return { kind: 'edited', edited: { args, text, diff: diffLines(before, after) } };
}

/** Resolves with what went wrong. The variable may hold arguments, as with git. */
function runEditor(editor: string, file: string, signal: AbortSignal): Promise<string | undefined> {
  const child =
    process.platform === 'win32'
      ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true, signal })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', signal });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(`the editor did not start: ${error.message}`));
    child.on('exit', (code, signal) =>
      resolve(code === 0 ? undefined : `the editor "${editor}" ended with ${code ?? signal}; set EDITOR to another`),
    );
  });
}

function fallback(): string {
  return process.platform === 'win32' ? 'notepad' : 'vi';
}

/** With every digit of its numbers, so that an edit of the last one is a change. */
function toText(args: JsonObject): string {
  return `${writeExactLines(args)}\n`;
}
