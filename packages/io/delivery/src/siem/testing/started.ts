// Receivers and streams that end with the test that starts them. For tests only.
import { onTestFinished } from 'vitest';
import { type Answer, type Receiver, startReceiver } from './receiver.js';
import { type StartedStreams, startStreams } from './start-streams.js';

export async function receiver(answer: Answer): Promise<Receiver> {
  const started = await startReceiver(answer);
  onTestFinished(started.close);
  return started;
}

export function streams(options: Parameters<typeof startStreams>[0]): StartedStreams {
  const started = startStreams(options);
  onTestFinished(() => started.close(0));
  return started;
}
