// Description of a route, and parts that many of them share.
import type * as v from 'valibot';

/**
 * Access to a route: `open` admits every caller, `role` callers with a role or, without roles, with the required token,
 * `admin` callers with an admin role.
 */
export type RouteAccess = 'open' | 'role' | 'admin';

export interface Route {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'delete';
  /** OpenAPI form, `{name}` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly access: RouteAccess;
  /** An open route that returns more to callers with access to a protected one; invalid credentials are refused. */
  readonly hasCallerDetails?: boolean;
  readonly body?: v.GenericSchema;
  /** Whether `?profile=` and `X-Service-Profile` narrow it. */
  readonly takesProfile: boolean;
  /** Whether the correlation headers belong to it. */
  readonly takesCorrelation: boolean;
  /** Whether it answers with an ETag and honours If-None-Match. */
  readonly conditional: boolean;
  /** Names of query parameters, besides `profile`. */
  readonly queries?: readonly string[];
  /** Names of request headers, besides those that the fields above bring. */
  readonly headers?: readonly string[];
  /** Body of the 200 answer; absent if it is a free-form document, a text, or a stream of events. */
  readonly answer?: v.GenericSchema;
  /** Where the answer is no JSON. */
  readonly mediaTypes?: readonly string[];
  /** Whether it answers 202: with an ErrorEnvelope while a person has to decide, or with a task. */
  readonly mayWait?: boolean;
  /** Body of the 202 answer to what is accepted for later. */
  readonly accepted?: v.GenericSchema;
  /** Whether a 403 may have `Retry-After`. */
  readonly retryAfter?: boolean;
  /** Statuses that carry an ErrorEnvelope. */
  readonly failures: readonly number[];
}

const executionFailures = [400, 404, 408, 413, 415, 499, 500, 502, 503, 504] as const;

export const execution = {
  access: 'role',
  method: 'post',
  takesProfile: true,
  takesCorrelation: true,
  conditional: false,
  failures: executionFailures,
} as const;

export const plain = { method: 'get', takesProfile: false, takesCorrelation: false, conditional: false } as const;
