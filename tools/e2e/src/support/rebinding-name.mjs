// Names whose addresses a test decides. `rebinding.example` leads to this machine; `moving4.example` and
// `moving6.example` lead to a private address of this machine at first, and to loopback from then on.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { networkInterfaces } from 'node:os';

const { lookup } = dns;
const asked = new Map();

const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
const ownPrivate = (family) =>
  addresses.find((each) => !each.internal && each.family === family && !each.address.startsWith('fe80'))?.address;

function addressOf(host) {
  if (host === 'rebinding.example') return '127.0.0.1';
  const family = { 'moving4.example': 'IPv4', 'moving6.example': 'IPv6' }[host];
  if (family === undefined) return host;
  const times = (asked.get(host) ?? 0) + 1;
  asked.set(host, times);
  return times === 1 ? (ownPrivate(family) ?? host) : '127.0.0.1';
}

dns.lookup = Object.assign((host, ...rest) => lookup(addressOf(host), ...rest), lookup);
syncBuiltinESMExports();
