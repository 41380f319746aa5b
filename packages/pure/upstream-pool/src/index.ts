// Warm sessions to upstream servers. This package decides when to connect, admit and give up; it never does I/O.
export * from './session.js';
