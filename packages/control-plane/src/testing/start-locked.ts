// A control plane with a lock in memory, in which everything is accepted. For tests of this package only.
import { createMemoryLockFile } from '../lock/lock-file.js';
import { createMemoryStores } from '../memory-stores.js';
import { connectPlane, correlation, stopped, tool } from './start-plane.js';

export const author = { identity: { role: null, actor: 'ann' }, correlation };
export const read = tool('read', { description: 'Reads', annotations: { readOnlyHint: true } });
export const send = tool('send', { description: 'Sends' });

/** A plane whose server `s` lists tools that are locked. */
export async function startLocked(
  lock: object = { mode: 'enforce' },
  file: object = {},
  tools: readonly object[] = [read, send],
) {
  const lockFile = createMemoryLockFile();
  const drifts: object[] = [];
  const stores = {
    ...createMemoryStores(stopped),
    openLockFile: () => lockFile,
    notifyDrift: (_to: unknown, notice: object) => drifts.push(notice),
  };
  const started = await connectPlane(
    { s: { definitions: { tools: tools as never } } },
    { lock, ...file },
    stores as never,
  );
  await started.plane.recover();
  await started.clock.advance(0);
  const acceptAll = async () => {
    const { drifts: found } = await started.plane.lock.drift();
    return started.plane.lock.accept({ items: found.map(({ id, digest }) => ({ id, digest })) }, author);
  };
  await acceptAll();
  const list = () => started.plane.state().catalog.capabilities.map(({ id }) => id);
  const change = async (tools: readonly object[]) => {
    started.server('s').change({ tools: tools as never });
    await started.clock.advance(60);
  };
  const calls = () =>
    started
      .server('s')
      .requests()
      .map(({ params }) => params.name);
  return { ...started, lockFile, calls, drifts, acceptAll, list, change };
}
