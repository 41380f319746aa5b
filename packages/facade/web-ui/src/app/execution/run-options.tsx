// How a call is run, beside its arguments: what of the result is wanted, once or again, and how long to wait for a person.
import type { CallOptions } from '@portico/client';
import type { JsonObject } from '@portico/contracts';
import { CheckField, TextField } from '../components/field.js';

export interface RunOptions {
  readonly jsonpath: string;
  readonly limitLines: string;
  readonly truncateBytes: string;
  readonly key: string;
  readonly waitSecs: string;
  readonly isTask: boolean;
}

export const noOptions: RunOptions = {
  jsonpath: '',
  limitLines: '',
  truncateBytes: '',
  key: '',
  waitSecs: '',
  isTask: false,
};

interface RunOptionsFieldsProps {
  readonly options: RunOptions;
  onOptions(options: RunOptions): void;
}

export function RunOptionsFields({ options, onOptions }: RunOptionsFieldsProps) {
  const set = (part: Partial<RunOptions>) => onOptions({ ...options, ...part });
  return (
    <details className="run-options">
      <summary>Options</summary>
      <div className="columns">
        <fieldset className="stack">
          <legend>Shorten the result</legend>
          <TextField
            label="JSONPath"
            hint="Keeps what the query selects, such as $.structuredContent.items[*].name"
            value={options.jsonpath}
            onValue={(jsonpath) => set({ jsonpath })}
          />
          <TextField
            label="Lines at most"
            inputMode="numeric"
            value={options.limitLines}
            error={wholeNumberError(options.limitLines)}
            onValue={(limitLines) => set({ limitLines })}
          />
          <TextField
            label="Bytes at most"
            inputMode="numeric"
            value={options.truncateBytes}
            error={wholeNumberError(options.truncateBytes)}
            onValue={(truncateBytes) => set({ truncateBytes })}
          />
        </fieldset>
        <fieldset className="stack">
          <legend>Run it</legend>
          <TextField
            label="Idempotency key"
            hint="A call under a key runs once; a repeat gets the stored answer."
            value={options.key}
            onValue={(key) => set({ key })}
          />
          <TextField
            label="Wait for an approval, seconds"
            inputMode="numeric"
            value={options.waitSecs}
            error={wholeNumberError(options.waitSecs)}
            onValue={(waitSecs) => set({ waitSecs })}
          />
          <CheckField
            label="As a task"
            hint="Answers at once; the result is on the page of tasks."
            isChecked={options.isTask}
            onChecked={(isTask) => set({ isTask })}
          />
        </fieldset>
      </div>
    </details>
  );
}

function wholeNumberError(text: string): string | undefined {
  return text === '' || /^[1-9]\d*$/.test(text.trim()) ? undefined : 'Expected a whole number above 0.';
}

export function areUsable({ limitLines, truncateBytes, waitSecs }: RunOptions): boolean {
  return [limitLines, truncateBytes, waitSecs].every((text) => wholeNumberError(text) === undefined);
}

/** Modifiers as they stand beside the arguments. */
export function toModifiers({ jsonpath, limitLines, truncateBytes }: RunOptions): JsonObject {
  return {
    ...(jsonpath === '' ? {} : { _jsonpath: jsonpath }),
    ...(limitLines === '' ? {} : { _limit_lines: Number(limitLines) }),
    ...(truncateBytes === '' ? {} : { _truncate_bytes: Number(truncateBytes) }),
  };
}

export function toCallOptions({ key, waitSecs, isTask }: RunOptions): CallOptions {
  return {
    ...(key === '' ? {} : { idempotencyKey: key }),
    ...(waitSecs === '' ? {} : { waitSecs: Number(waitSecs) }),
    ...(isTask ? { respondAsync: true } : {}),
  };
}
