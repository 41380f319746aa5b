// The HTTP upstream of the soak: it is started again on its port whenever it has crashed, as an init system would.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../../faults/src/scope.js';

export interface HttpServer {
  isUp(): Promise<void>;
  stop(): Promise<void>;
}

const againMs = 500;

export function keepHttpServer(scope: Scope, args: readonly string[]): HttpServer {
  scope.throwIfStopped();
  let isOver = false;
  let child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let up = once(child.stdout, 'data');
  const running = (async () => {
    for (;;) {
      await once(child, 'exit');
      if (isOver) return;
      await sleep(againMs);
      if (isOver) return;
      child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      up = once(child.stdout, 'data');
    }
  })();
  const stop = async () => {
    isOver = true;
    child.kill('SIGKILL');
    await running;
  };
  scope.onClose(stop);
  return {
    async isUp() {
      await up;
    },
    stop,
  };
}
