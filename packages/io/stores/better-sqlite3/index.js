// better-sqlite3 under a name that npm leaves out where Node has SQLite itself: `engines` of package.json says which.
export { default } from 'better-sqlite3';
