// A JSON value as text: what is typed stays as it is, and what is wrong with it is said beside it.
import { parseJsonObject } from '../lib/json-text.js';
import { TextAreaField } from './field.js';

interface JsonFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly text: string;
  readonly error?: string | undefined;
  readonly rows?: number;
  onText(text: string): void;
}

/** A text that has to be a JSON object. */
export function JsonField({ label, hint, text, error, rows = 8, onText }: JsonFieldProps) {
  const parsed = parseJsonObject(text);
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={rows}
      value={text}
      error={parsed.ok ? error : `Not a JSON object: ${parsed.message}`}
      onValue={onText}
    />
  );
}
