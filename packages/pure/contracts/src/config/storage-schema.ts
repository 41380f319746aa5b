// The storage block as it is written in the configuration file.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { secretUriStart } from '../secret-lookup.js';

const postgresStart = /^postgres(ql)?:\/\//;

export const storageSchema = notAList(
  v.looseObject({
    url: v.pipe(
      v.string(),
      v.regex(
        new RegExp(`${postgresStart.source}|${secretUriStart.source}\\S`),
        'must be a postgres:// or postgresql:// address, or a secret URI (env://, op://, keychain://) of one',
      ),
      v.description(
        'PostgreSQL database that keeps all durable state in place of SQLite: postgres://user:password@host:5432/database, or a secret URI of such an address',
      ),
    ),
  }),
);
