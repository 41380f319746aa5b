// Loaded before the daemon with --import: in the place of the operating system's keyring, a JSON file that KEYRING_FILE
// names, with passwords by `service|account`. Everything else is the built product.
import { register } from 'node:module';

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

const hooks = `
  const url = ${JSON.stringify(`data:text/javascript,${encodeURIComponent(library)}`)};
  export const resolve = (name, context, next) =>
    name === '@napi-rs/keyring' ? { url, shortCircuit: true } : next(name, context);`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
