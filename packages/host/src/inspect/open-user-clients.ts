// The user's AI clients for a configuration that nothing serves (yet). Nothing is written before it is asked for.
import { resolve } from 'node:path';
import type { AiClients } from '@portico/control-plane';
import { type OwnCommand, openAiClients } from '../open-ai-clients.js';
import { type StatePlace, stateDirectoryOf } from './inspect-state.js';

/**
 * Opens the AI clients of this user: finding, attaching, moving and undoing.
 * @param place.mcpStdio the command that clients run, before its flags
 */
export function openUserClients(place: StatePlace & { readonly mcpStdio?: OwnCommand }): AiClients {
  return openAiClients({ ...place, configFile: resolve(place.configFile) }, stateDirectoryOf(place));
}
