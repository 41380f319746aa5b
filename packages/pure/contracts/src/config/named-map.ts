// Maps of the configuration file: names that people choose, each with a value. Every name is kept.
import * as v from 'valibot';
import { isJsonObject } from '../json.js';

export type NamedMapSchema<S extends v.GenericSchema> = v.RecordSchema<v.StringSchema<undefined>, S, undefined>;
type Result<S extends v.GenericSchema> = ReturnType<NamedMapSchema<S>['~run']>;

/** As `v.record` with text keys, which takes lists as well and silently drops a key such as `constructor`. */
export function namedMap<S extends v.GenericSchema>(value: S): NamedMapSchema<S> {
  return {
    ...v.record(v.string(), value),
    '~run'(dataset, config) {
      const input: unknown = dataset.value;
      if (!isJsonObject(input)) {
        v._addIssue(this, 'type', dataset, config);
        return dataset as unknown as Result<S>; // it holds an issue now
      }
      const issues: v.BaseIssue<unknown>[] = [];
      const entries = Object.entries(input).map(([key, given]) => {
        const result = v.safeParse(value, given, config);
        const item: v.ObjectPathItem = { type: 'object', origin: 'value', input, key, value: given };
        for (const issue of result.issues ?? []) issues.push({ ...issue, path: [item, ...(issue.path ?? [])] });
        return [key, result.output];
      });
      const typed = issues.length === 0;
      // Every value has been through its schema, and `typed` is true exactly where there is no issue.
      return { typed, value: Object.fromEntries(entries), ...(typed ? {} : { issues }) } as Result<S>;
    },
  };
}
