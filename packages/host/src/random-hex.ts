// Random lower-case hex for trace and span ids. Fetching random bytes costs the same for many as for few.
import { randomBytes } from 'node:crypto';

const poolBytes = 8192;

/** Each character is handed out once. At most 16384 characters at a time. */
export function createRandomHex(): (characters: number) => string {
  let pool = '';
  let used = 0;
  return (characters) => {
    if (used + characters > pool.length) {
      pool = randomBytes(poolBytes).toString('hex');
      used = 0;
    }
    used += characters;
    return pool.slice(used - characters, used);
  };
}
