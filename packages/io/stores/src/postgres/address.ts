// Where a PostgreSQL database is, in words that may be shown: never its password.
import type { Client, ClientConfig } from 'pg';

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** The password of the login, from the address or `PGPASSWORD`; null without one. */
  readonly password: string | null;
}

/**
 * The driver's interpretation of an address: its parts, the `PG…` variables, and its own defaults.
 * @throws Error if it is not an address
 */
export function addressOf(client: typeof Client, url: string): Address {
  const { host, port, database, user, password } = new client(settingsOf(url));
  // The driver's own types leave out what it gives where nothing was said.
  return { host: host ?? 'localhost', port, database: database ?? '', user: user ?? '', password: password ?? null };
}

/** The same, with what all connections have in common. */
export function settingsOf(url: string): ClientConfig {
  return { connectionString: withTlsMode(url), keepAlive: true, fallback_application_name: 'portico' };
}

/** The driver takes these modes for `verify-full` as well, but prints a warning among the lines of the log. */
function withTlsMode(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url; // they are what libpq makes of them then
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

/** `database "portico" of user "me" at db.test:5432` */
export function nameOf({ host, port, database, user }: Address): string {
  const place = host.startsWith('/') ? `socket ${host}/.s.PGSQL.${port}` : `${host}:${port}`;
  return `PostgreSQL database "${database}" at ${place} as user "${user}"`;
}
