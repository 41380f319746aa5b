// Differences that are known, and why they are there. A difference that is not among them fails the run, and so does an
// entry that no longer explains one.
import type { Target } from './clients.js';
import type { Step } from './run-client.js';

export interface Explained {
  /** Id of the client. */
  readonly client: string;
  readonly route: Target['kind'];
  readonly step: Step;
  readonly reason: string;
}

export const explained: readonly Explained[] = [];
