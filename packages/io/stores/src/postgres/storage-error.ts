// Why a PostgreSQL database cannot be used, in words of the one who has to do something about it.
import { codeOf, messageOf } from '../files.js';
import { NewerSchemaError } from '../migrations/index.js';
import { type Address, nameOf } from './address.js';

/** The database in `storage.url` cannot be used. The message never contains a password. */
export class StorageError extends Error {}

/** A connection to it could not be had, or has broken. */
export class ConnectionError extends StorageError {
  /** The system's name for it, or its SQLSTATE. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(`the database cannot be used: ${reasonOf(cause)}`, { cause });
    this.code = codeOf(cause);
  }
}

const wasCut = 'the connection has been cut; see the log of the server, then try again';

/** By the system's name for the error, or by its SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const reasonOfCode: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'nothing answers there; start the server, or correct storage.url'],
  [/^ENOENT$/, 'there is no such socket; start the server, or correct storage.url'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is not known; correct storage.url'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'the host cannot be reached; check the network, or correct storage.url'],
  [/^(28P01|28000)$/, 'the server refuses this login; correct the user or the password in storage.url'],
  [/^3D000$/, 'there is no such database; create it, or correct storage.url'],
  [/^42501$/, 'this user may not create tables; grant it the right to, or use another one'],
  [/^53300$/, 'the server has no connection left; raise max_connections, or end what holds them'],
  [/^57P0[123]$/, 'the server is starting or stopping, or has ended the connection; try again'],
  [/^(ECONNRESET|EPIPE)$/, wasCut],
];

export function toStorageError(address: Address, error: unknown): StorageError {
  if (error instanceof ConnectionError) return toStorageError(address, error.cause);
  if (error instanceof StorageError) return error;
  return new StorageError(`${nameOf(address)} cannot be used: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (error instanceof NewerSchemaError) {
    return `a newer version has written it (${error.message}); use that version, or another database`;
  }
  const code = codeOf(error) ?? '';
  const [, known] = reasonOfCode.find(([pattern]) => pattern.test(code)) ?? [];
  if (known !== undefined) return `${known} (${messageOf(error) || code})`;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]); // one for each address of a host
  if (/^Connection terminated/.test(messageOf(error))) return `${wasCut} (${messageOf(error)})`; // the driver has no code for it
  return messageOf(error) || code || 'the driver gives no reason';
}
