// Merges the changes of others into a file that may have been edited at the same time.
import { type Issue, isJsonObject, type JsonObject } from '@portico/contracts';
import { applyEdits, type ConfigEdit, type ProblemsOf } from '../config-source.js';
import { fieldAt } from '../edits.js';
import type { ExclusiveLog, SharedChange } from './configuration-log.js';
import { editsSince, outlineOf } from './outline.js';

export interface Merge {
  /** The edits of the file itself: the newest change. */
  readonly byHand: readonly ConfigEdit[];
  /** For the file, so that it has all that can be used here. */
  readonly edits: readonly ConfigEdit[];
  readonly refused: readonly RefusedChange[];
}

export interface RefusedChange {
  readonly seq: number;
  readonly issues: readonly Issue[];
}

/**
 * All together if the result is valid, so that one change may correct another; else the valid ones, one after the
 * other.
 */
export function mergeChanges(
  { standing, missed }: Pick<ExclusiveLog, 'standing' | 'missed'>,
  found: JsonObject,
  problemsOf: ProblemsOf,
): Merge {
  const outline = outlineOf(found);
  const byHand = standing === undefined ? [] : editsSince(standing.outline, found);
  /** Only what differs then: what is so already is not written again, with the comments that it has. */
  const editsFor = (changes: readonly SharedChange[]) =>
    editsSince(outline, [...changes.flatMap(({ edits }) => edits), ...byHand].reduce(withEdit, found));

  const all = editsFor(missed);
  if (all.length === 0 || problemsOf(all).length === 0) return { byHand, edits: all, refused: [] };
  const taken: SharedChange[] = [];
  const refused: RefusedChange[] = [];
  for (const change of missed) {
    const issues = problemsOf(editsFor([...taken, change]));
    if (issues.length === 0) taken.push(change);
    else refused.push({ seq: change.seq, issues });
  }
  return { byHand, edits: editsFor(taken), refused };
}

/** An edit that created an empty object keeps the content that another has put there in between. */
function withEdit(file: JsonObject, edit: ConfigEdit): JsonObject {
  const { path, value } = edit;
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  return isEmpty && isJsonObject(fieldAt(file, path)) ? file : applyEdits(file, [edit]);
}
