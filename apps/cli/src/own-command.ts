// What AI clients are told to run: this very program, by absolute paths, since a client that is started from a desktop
// finds no program by its name.
import { fileURLToPath } from 'node:url';
import type { OwnCommand } from '@portico/host';

export function ownMcpStdio(): OwnCommand {
  return [process.execPath, fileURLToPath(new URL('./main.js', import.meta.url)), 'mcp-stdio'];
}
