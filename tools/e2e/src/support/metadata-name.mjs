// The name of a metadata service leads to this machine. Imported into the process whose daemon asks for it: what answers
// at such an address elsewhere is not up to a test.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const name = 'metadata.goog';
const { lookup } = dns;

dns.lookup = Object.assign((host, ...rest) => lookup(host === name ? '127.0.0.1' : host, ...rest), lookup);
syncBuiltinESMExports();
