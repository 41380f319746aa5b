// Imported into a process: connections beyond this machine and look-ups of names fail, and each is written to the file that
// NETWORK_USES names, a line each. Loopback addresses and local sockets stay.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import module from 'node:module';
import net from 'node:net';

const isLocal = (host) => /^(localhost|127\.[\d.]+|::1)$/.test(host ?? 'localhost');

function refuse(what) {
  appendFileSync(process.env.NETWORK_USES ?? '', `${what}\n`);
  return Object.assign(new Error(`no network: ${what}`), { code: 'ENETUNREACH' });
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectLocally(...args) {
  const [given, host] = Array.isArray(args[0]) ? args[0] : args;
  const target = typeof given === 'object' && given !== null ? given.host : host;
  const isPath = typeof given === 'string' || given?.path !== undefined;
  if (isPath || isLocal(typeof target === 'string' ? target : undefined)) return connect.apply(this, args);
  const error = refuse(`connect ${target}`);
  process.nextTick(() => this.destroy(error));
  return this;
};

dgram.Socket.prototype.send = function sendNothing() {
  throw refuse('datagram');
};

for (const resolver of [dns, dns.promises]) {
  for (const name of Object.keys(resolver).filter((key) => /^(lookup|resolve|reverse)/.test(key))) {
    const original = resolver[name];
    if (typeof original !== 'function') continue;
    resolver[name] = (host, ...rest) => {
      if (isLocal(host)) return original(host, ...rest);
      const error = refuse(`${name} ${host}`);
      const callback = rest.at(-1);
      return typeof callback === 'function' ? process.nextTick(callback, error) : Promise.reject(error);
    };
  }
}
module.syncBuiltinESMExports();
