// What the process is about to do that could take long, left where a watchdog finds it that runs beside the event loop.
// Only around steps whose cost others decide: a plain call names nothing.

export interface Stages {
  /** @param stage such as `checking arguments` @param subject the id of the capability or server that it is done for */
  enter(stage: string, subject: string): void;
  /** To be called when that has ended, however it did. */
  leave(): void;
}

/** Where no watchdog reads them. */
export const noStages: Stages = Object.freeze({ enter: () => {}, leave: () => {} });

/** Names what it does for as long as that runs. Stages do not nest: the end of one within another ends both. */
export function inStage<T>(stages: Stages, stage: string, subject: string, work: () => T): T {
  stages.enter(stage, subject);
  try {
    return work();
  } finally {
    stages.leave();
  }
}
