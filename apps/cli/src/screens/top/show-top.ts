// The live screen of `portico top`.
import { sayFailure } from '../failure.js';
import { runScreen } from '../shell/run-screen.js';
import { createStore, type Store } from '../shell/store.js';
import { followDaemon, followLog } from './follow-daemon.js';
import { press, startTop, type TopState, type TopWish } from './state.js';
import { type TopClient, takeSample } from './take-sample.js';
import { toTopLines } from './view.js';

const intervalMs = 1000;

/** Resolves with where to go from here. @throws as the client does when there is no daemon at the start */
export async function showTop(client: TopClient, url: string): Promise<'quit' | 'approvals'> {
  const store = createStore(startTop(url, await takeSample(client, () => performance.now())));
  const end = new AbortController();
  const following = followDaemon({ client, store, signal: end.signal, intervalMs });
  try {
    const shown = runScreen<TopState, 'quit' | 'approvals'>({
      store,
      toLines: toTopLines,
      onKey(key, finish) {
        const { state, wish } = press(store.get(), key);
        store.update(() => state);
        if (wish !== undefined) grant(client, store, wish, finish);
      },
    });
    const left = await Promise.race([shown, following]); // following only ends by a defect before the screen does
    return left ?? 'quit';
  } finally {
    end.abort();
    await following;
  }
}

function grant(client: TopClient, store: Store<TopState>, wish: TopWish, finish: (to: 'quit' | 'approvals') => void) {
  const notice = (text: string) => store.update((state) => ({ ...state, notice: text }));
  switch (wish.kind) {
    case 'quit':
    case 'approvals':
      finish(wish.kind);
      return;
    case 'logs':
      followLog(client, store).catch((error: unknown) => notice(sayFailure(error)));
      return;
    case 'restart':
      notice(`restarting ${wish.server}`);
      client.restartServer(wish.server).then(
        ({ status }) => notice(`restarted ${wish.server}: ${status}`),
        (error: unknown) => notice(`${wish.server} is not restarted: ${sayFailure(error)}`),
      );
  }
}
