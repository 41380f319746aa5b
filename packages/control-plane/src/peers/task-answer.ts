// The outcome of answering or cancelling a task.
import type { TaskRecord } from '@portico/contracts';

export type TaskAnswer =
  | { readonly kind: 'done'; readonly task: TaskRecord }
  /** It is not in a state to take this. */
  | { readonly kind: 'conflict'; readonly task: TaskRecord }
  | { readonly kind: 'unknown' };
