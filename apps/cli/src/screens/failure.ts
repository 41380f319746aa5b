// The message of a screen about a failed request.
import { ApiError } from '@portico/client';

/** One line for a screen. */
export function sayFailure(error: unknown): string {
  if (error instanceof ApiError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
