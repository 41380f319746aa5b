// The web console as files that a server can answer with. Nothing here listens.
export { type ConsoleAnswer, consolePolicy, openWebConsole, type WebConsole } from './web-console.js';
