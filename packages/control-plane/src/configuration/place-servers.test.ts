// Servers that are added for an AI client: all of them or none, also where the change fails after the file was written.
import { PorticoError } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { author, startConfigured } from '../testing/start-configured.js';
import type { ServerPlacement } from './clients/server-placement.js';

const servers = [{ server_id: 'web', definition: { command: 'web' } }];

/** A source that fails after it has written, as often as said. */
async function startFailing({ file = { mcpServers: {} }, times = 1 }: { file?: object; times?: number } = {}) {
  const { plane, source } = await startConfigured({}, { ...file });
  const { change } = source;
  let failures = 0;
  source.change = async (edit) => {
    const loaded = await change(edit);
    failures += 1;
    if (failures <= times) throw new PorticoError('INTERNAL_ERROR', 'no other daemon could be reached');
    return loaded;
  };
  const { placement } = plane.configuration as unknown as { readonly placement: ServerPlacement }; // inside of the plane only
  const add = () => placement.add(author, 'editor', servers);
  return { add, path: source.path, written: () => source.current().file };
}

describe('adding servers', () => {
  it.each([{ mcpServers: {} }, { mcpServers: { git: { command: 'git' } } }])(
    'to %j leaves it as it was where the change fails after it was written',
    async (file) => {
      const { add, written } = await startFailing({ file });
      await expect(add()).rejects.toThrow(/no other daemon could be reached$/);
      expect(written()).toEqual(file);
    },
  );

  it('names those that may still be there where they cannot be removed', async () => {
    const { add, path } = await startFailing({ times: 2 });
    await expect(add()).rejects.toThrow(`; web could not be removed from ${path} again (`);
  });

  it('leaves a server of the same name alone that another process has added', async () => {
    const file = { mcpServers: { web: { command: 'web' } } };
    const { add, written } = await startFailing({ file, times: 0 });
    await expect(add()).rejects.toThrow('mcpServers.web: was configured in between; try again');
    expect(written()).toEqual(file);
  });
});
