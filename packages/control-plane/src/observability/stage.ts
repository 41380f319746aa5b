// What the process is about to do that could take long, left where a watchdog finds it that runs beside the event loop.
// Only around steps whose cost others decide: a plain call names nothing.

export interface Stages {
  /** @param stage such as `checking arguments` @param capability the id that it is done for */
  enter(stage: string, capability: string): void;
  /** To be called when that has ended, however it did. */
  leave(): void;
}

/** Where no watchdog reads them. */
export const noStages: Stages = Object.freeze({ enter: () => {}, leave: () => {} });
