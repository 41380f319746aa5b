// Dependencies of the facade. It opens nothing by itself: no socket, no file.
import type { ControlPlane, Log } from '@portico/control-plane';

export interface McpFacadeDeps {
  readonly plane: ControlPlane;
  /** Product version, sent to clients. */
  readonly version: string;
  /** Fresh random lower-case hex. */
  readonly randomHex: (characters: number) => string;
  readonly log: Log;
}
