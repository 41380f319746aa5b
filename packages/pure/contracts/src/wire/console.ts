// How the web console is opened where administration needs the operator token: by a code that works once.
import * as v from 'valibot';

/** Answer of `POST /v1/console/codes`. */
export const consoleCodeSchema = v.object({
  ok: v.literal(true),
  code: v.pipe(v.nullable(v.string()), v.description('Opens one session; null if the console needs none')),
  expires_at: v.pipe(v.nullable(v.string()), v.description('RFC 3339; null without a code')),
});

/** Body of `POST /v1/console/sessions`. */
export const consoleSessionRequestSchema = v.looseObject({
  code: v.pipe(v.string(), v.minLength(1), v.maxLength(256), v.description('As `portico ui` made it')),
});

/** Answer of `POST /v1/console/sessions`. */
export const consoleSessionSchema = v.object({
  ok: v.literal(true),
  token: v.pipe(v.string(), v.description('Bearer token of this session; it ends with the daemon at the latest')),
  expires_at: v.pipe(v.string(), v.description('RFC 3339')),
});
