// Whether Portico answers at an address. No token goes there before that is known.

export type Health =
  | 'portico'
  /** No process listens on the port. */
  | 'absent'
  /** Something that is not Portico, or says nothing in time. */
  | 'other';

/** @throws the reason of `stopped` */
export async function askHealth(url: string, limitMs: number, stopped?: AbortSignal): Promise<Health> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = stopped === undefined ? limit : AbortSignal.any([limit, stopped]);
  try {
    const response = await fetch(`${url}/healthz`, { signal });
    // biome-ignore lint/plugin: nothing but `ok` is read
    const answer: unknown = await response.json();
    const isPortico = typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === true;
    return response.ok && isPortico ? 'portico' : 'other';
  } catch (error) {
    stopped?.throwIfAborted();
    return isRefused(error) ? 'absent' : 'other';
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}
