// Loaded before the daemon with --import: in the place of the operating system's keyring, a JSON file that KEYRING_FILE
// names, with passwords by `service|account`. Everything else is the built product.
import module from 'node:module';

const library = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const entries = () => JSON.parse(readFileSync(process.env.KEYRING_FILE, 'utf8'));
  export class AsyncEntry {
    constructor(service, account) {
      this.name = service + '|' + account;
    }
    async getPassword() {
      return entries()[this.name] ?? null;
    }
    async setPassword(password) {
      writeFileSync(process.env.KEYRING_FILE, JSON.stringify({ ...entries(), [this.name]: password }));
    }
  }`;

const url = `data:text/javascript,${encodeURIComponent(library)}`;
// The name, or the file that it was resolved to.
const resolve = (name, context, next) =>
  /(^|\/)@napi-rs\/keyring(\/|$)/.test(name) ? { url, shortCircuit: true } : next(name, context);

// Node 20 has no `registerHooks`, and Node 26 writes a warning for `register`.
if (module.registerHooks !== undefined) module.registerHooks({ resolve });
else {
  const hooks = `const url = ${JSON.stringify(url)}; export const resolve = ${resolve};`;
  module.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
