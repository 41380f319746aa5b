// Prints the memory of search by meaning as JSON, measured in a process that does nothing else.
import { keptMemory } from './kept-memory.js';

process.stdout.write(`${JSON.stringify(await keptMemory(6))}\n`);
