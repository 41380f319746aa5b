// The command that AI clients run: this very program, by absolute paths, because a client that is started from a
// desktop does not find a program by its name.
import { fileURLToPath } from 'node:url';
import type { OwnCommand } from '@portico/host';

export function ownMcpStdio(): OwnCommand {
  return [process.execPath, fileURLToPath(new URL('./main.js', import.meta.url)), 'mcp-stdio'];
}
