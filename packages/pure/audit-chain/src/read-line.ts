// Reads a line of the log as strictly as it was written: one record has one line, to the byte.
// It never repairs, and it never says what a line holds, only what is wrong with it.
import { isCanonical } from '@portico/canonical-json';
import { isJsonObject, parseExact } from '@portico/contracts';
import { wrongField } from './fields.js';
import type { AuditRecord } from './record.js';
import { hashedText, hashedTextOf } from './seal.js';

export type LineReading =
  | {
      readonly ok: true;
      readonly record: AuditRecord;
      /** The line without its member `hash`. */
      readonly hashed: string;
    }
  | { readonly ok: false; readonly problem: string };

export function readLine(line: string): LineReading {
  if (line === '') return wrong('the line is empty');
  const value = parse(line);
  if (value === undefined) return wrong('the line is no JSON');
  if (!isJsonObject(value)) return wrong('the line is no JSON object');
  const field = wrongField(value);
  if (field !== undefined) return wrong(`the field ${JSON.stringify(field)} is missing, unknown or of another type`);
  if (!isCanonical(line, value)) return wrong('the line is not in canonical form');
  const record = value as unknown as AuditRecord; // wrongField found every field as the type has it
  return { ok: true, record, hashed: hashedTextOf(line, record.hash) ?? hashedText(record) };
}

/** The record of a line that is exactly as recordLine writes it. Whether it belongs to a chain is not asked. */
export function parseRecord(line: string): AuditRecord | undefined {
  const reading = readLine(line);
  return reading.ok ? reading.record : undefined;
}

const wrong = (problem: string): LineReading => ({ ok: false, problem });

function parse(line: string): unknown {
  try {
    return parseExact(line);
  } catch {
    return undefined;
  }
}
