// The step that the process is about to take and that could take long, readable for a watchdog that runs beside the
// event loop. Only for steps whose cost others decide: a plain call enters no stage.

export interface Stages {
  /** @param stage such as `checking arguments` @param subject the id of the capability or server that it is done for */
  enter(stage: string, subject: string): void;
  /** To be called when that has ended, however it did. */
  leave(): void;
}

/** Where no watchdog reads them. */
export const noStages: Stages = Object.freeze({ enter: () => {}, leave: () => {} });

/** Names the stage of a piece of work while it runs. Stages do not nest: the end of one within another ends both. */
export function inStage<T>(stages: Stages, stage: string, subject: string, work: () => T): T {
  stages.enter(stage, subject);
  try {
    return work();
  } finally {
    stages.leave();
  }
}
