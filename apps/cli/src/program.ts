// How the command names itself to the service it talks to.
import { version } from '@portico/host/place';

export const program = `portico-cli/${version}`;
