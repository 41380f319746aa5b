// The stage of `npm test` that has better-sqlite3 compiled beside other work.
import { compileSqlite } from './install.mjs';

compileSqlite();
