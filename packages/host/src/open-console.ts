// The web console, loaded by the first request of a browser: other clients should not wait for it.
import type { WebConsole } from '@portico/rest-api';

export function openConsole(): WebConsole {
  let opening: ReturnType<typeof load> | undefined;
  return async (path, header) => {
    opening ??= load().catch((error: unknown) => {
      opening = undefined; // it is tried again
      throw error;
    });
    return (await opening)(path, header);
  };
}

async function load() {
  const { openWebConsole } = await import('@portico/web-ui');
  return openWebConsole();
}
