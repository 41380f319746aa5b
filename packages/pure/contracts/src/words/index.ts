// The words that the console and the terminal share: states, outcomes, sentences, amounts.
export * from './amounts.js';
export * from './events.js';
export * from './lock.js';
export * from './needs.js';
export * from './servers.js';
export * from './tickets.js';
