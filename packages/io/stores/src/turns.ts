// One after the other within this process, for each name.

/** Runs work when all that was given under its name before has ended, however it ended. */
export type Exclusively = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): Exclusively {
  const lastOf = new Map<string, Promise<void>>();
  return (name, work) => {
    const mine = (lastOf.get(name) ?? Promise.resolve()).then(work);
    const ended: Promise<void> = mine
      .catch(() => {})
      .then(() => {
        if (lastOf.get(name) === ended) lastOf.delete(name);
      });
    lastOf.set(name, ended);
    return mine;
  };
}
