// A program that embeds a host: opens one with the configuration of its first argument, searches for each of the others, and
// prints the answers as JSON.
import { pathToFileURL } from 'node:url';

const [module, config, ...queries] = process.argv.slice(2);
const { openHost } = await import(pathToFileURL(module).href);
const host = await openHost({ config: JSON.parse(config) });
await host.start();
const answers = [];
for (const query of queries) answers.push(await host.plane.search({ profile: null, role: null }, { query }));
await host.close();
process.stdout.write(JSON.stringify(answers));
