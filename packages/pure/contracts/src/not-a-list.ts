// Objects that are objects. Valibot's object schemas take lists as well, since those are objects to JavaScript.
import * as v from 'valibot';

/** The schema, for values that are no lists. */
export function notAList<S extends v.GenericSchema>(schema: S): S {
  return {
    ...schema,
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config);
      v._addIssue(this as S, 'type', dataset, config);
      return dataset;
    },
  };
}
