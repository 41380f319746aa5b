// The port to where tasks are kept, and a store that lives as long as the process.
import { isEnded, type Task, type TaskChange, type TaskStatus } from './task.js';

export interface TaskQuery {
  readonly principal: string;
  readonly status?: TaskStatus;
  readonly limit: number;
  readonly offset: number;
}

/** The stored size of the tasks of one principal that were made at about the same time. */
export interface TaskSizes {
  readonly principal: string;
  readonly tasks: number;
  /** Size of all results together, in UTF-8. */
  readonly bytes: number;
  /** The last of them. */
  readonly createdAtMs: number;
}

/** Everything is durable when its promise resolves. */
export interface TaskStore {
  add(task: Task): Promise<void>;
  get(id: string): Promise<Task | undefined>;
  /** Newest first; `total` counts all that match. */
  list(query: TaskQuery): Promise<{ readonly tasks: readonly Task[]; readonly total: number }>;
  /** Changes a task that has not ended, in one step. Undefined if it has: another change came first. */
  change(id: string, change: TaskChange): Promise<Task | undefined>;
  /** Takes over those that have not ended and no process that lives has, oldest first. */
  claim(): Promise<readonly Task[]>;
  /** How much is kept, without reading the results. */
  sizes(): Promise<readonly TaskSizes[]>;
  /** Removes tasks that were made before a moment and have ended, and gives their number. */
  purge(createdBeforeMs: number): Promise<number>;
}

/** Creates a store of tasks in memory; they end with the process. */
export function createMemoryTaskStore(): TaskStore {
  const tasks = new Map<string, Task>();
  return {
    async add(task) {
      tasks.set(task.id, task);
    },
    get: async (id) => tasks.get(id),
    async list({ principal, status, limit, offset }) {
      const matching = [...tasks.values()]
        .reverse()
        .filter((task) => task.principal === principal && (status === undefined || task.status === status));
      return { tasks: matching.slice(offset, offset + limit), total: matching.length };
    },
    async change(id, change) {
      const task = tasks.get(id);
      if (task === undefined || isEnded(task)) return undefined;
      const changed = { ...task, ...change };
      tasks.set(id, changed);
      return changed;
    },
    claim: async () => [...tasks.values()].filter((task) => !isEnded(task)),
    async sizes() {
      return [...tasks.values()].map(({ principal, result, createdAtMs }) => ({
        principal,
        tasks: 1,
        bytes: result?.length ?? 0,
        createdAtMs,
      }));
    },
    async purge(createdBeforeMs) {
      const old = [...tasks.values()].filter((task) => task.createdAtMs < createdBeforeMs && isEnded(task));
      for (const { id } of old) tasks.delete(id);
      return old.length;
    },
  };
}
