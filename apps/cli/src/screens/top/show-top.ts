// The live screen of `portico top`.
import { explanationLines } from '../../explain.js';
import { sayFailure } from '../failure.js';
import { runScreen } from '../shell/run-screen.js';
import { createStore, type Store } from '../shell/store.js';
import { followDaemon, followLog } from './follow-daemon.js';
import { press, startTop, type TopLeave, type TopState, type TopWish } from './state.js';
import { type TopClient, takeCalls, takeSample } from './take-sample.js';
import { toTopLines } from './view.js';

const intervalMs = 1000;

/** Resolves with where to go from here. @throws as the client does when there is no daemon at the start */
export async function showTop(client: TopClient, url: string): Promise<TopLeave> {
  const [first, activity] = await Promise.all([takeSample(client, () => performance.now()), takeCalls(client)]);
  const store = createStore(startTop(url, first, activity?.calls ?? null, Date.now()));
  const end = new AbortController();
  const following = followDaemon({ client, store, signal: end.signal, intervalMs, cursor: activity?.cursor });
  try {
    const shown = runScreen<TopState, TopLeave>({
      store,
      toLines: toTopLines,
      onKey(key, finish) {
        const { state, wish } = press(store.get(), key);
        store.update(() => state);
        if (wish !== undefined) grant(client, store, wish, finish);
      },
    });
    const left = await Promise.race([shown, following]); // following only ends by a defect before the screen does
    return left ?? { kind: 'quit' };
  } finally {
    end.abort();
    await following;
  }
}

function grant(client: TopClient, store: Store<TopState>, wish: TopWish, finish: (to: TopLeave) => void) {
  const notice = (text: string) => store.update((state) => ({ ...state, notice: text }));
  switch (wish.kind) {
    case 'quit':
    case 'approvals':
      finish(wish);
      return;
    case 'logs':
      followLog(client, store).catch((error: unknown) => notice(sayFailure(error)));
      return;
    case 'why':
      void explain(client, store, wish.id);
      return;
    case 'restart':
      notice(`restarting ${wish.server}`);
      client.restartServer(wish.server).then(
        ({ status }) => notice(`restarted ${wish.server}: ${status}`),
        (error: unknown) => notice(`${wish.server} is not restarted: ${sayFailure(error)}`),
      );
  }
}

/** Shown where its view is still open. */
async function explain(client: TopClient, store: Store<TopState>, id: string): Promise<void> {
  const lines = await client.explainTrace(id).then(
    (answer) => explanationLines(answer),
    (error: unknown) => [`it is not known why: ${sayFailure(error)}`],
  );
  store.update((state) =>
    state.view.kind === 'why' && state.view.id === id ? { ...state, view: { ...state.view, lines } } : state,
  );
}
