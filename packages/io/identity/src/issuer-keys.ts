// The public keys of an issuer, read from its address (RFC 7517, section 5), kept for a while, and read again for a key
// that is not there. An address that fails is not asked again at once: a sender of bad tokens must not make us do so.
import type { Log } from '@portico/control-plane';
import { refusalIn } from '@portico/egress';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';

/** Nothing can be checked now. */
export class KeysUnavailable extends Error {}

const timeoutMs = 5000;
const keptMs = 600_000;
/** Between two readings for keys that are not there. */
const betweenReadingsMs = 30_000;
/** After a reading that failed. */
const pauseMs = 5000;
const maxBytes = 1024 * 1024;

/** @param send as `fetch` */
export function createIssuerKeys(url: string, log: Log, send: typeof fetch): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: timeoutMs,
    cacheMaxAge: keptMs,
    cooldownDuration: betweenReadingsMs,
    [customFetch]: (address, init) => fetchWithin(send, address, init),
  });
  let failedAtMs = Number.NEGATIVE_INFINITY;

  return async (header, token) => {
    if (performance.now() - failedAtMs < pauseMs && !keys.fresh) throw unavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      failedAtMs = performance.now();
      const fields = { url, reason: refusalIn(error)?.message, error };
      log('error', 'the keys of the token issuer cannot be read; tokens are refused', fields);
      throw unavailable();
    }
  };
}

function unavailable(): KeysUnavailable {
  return new KeysUnavailable('the keys of the token issuer cannot be read; try again later');
}

/** The keys are there, but none of them is the token's. */
function isAboutToken(error: unknown): boolean {
  const kinds = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
  return kinds.some((kind) => error instanceof kind);
}

/** As `fetch`, for answers of at most a mebibyte. Redirects are not followed: they come as they are, and are no keys. */
async function fetchWithin(send: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  const response = await send(url, init);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status === 200 ? 200 : 502 });
}
