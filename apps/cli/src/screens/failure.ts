// What a screen says of a request that failed.
import { ApiError } from '@portico/client';

/** One line for a screen. */
export function sayFailure(error: unknown): string {
  if (error instanceof ApiError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
