// The listeners to the signals of a database.
import type { SignalListener, Topic } from '../signals.js';

/** Notifies the listeners of a topic, or all listeners if signals may have been missed. */
export function createNotificationListener() {
  const listeners = new Map<Topic, Set<SignalListener>>();
  return {
    hear(text: string | undefined) {
      const [, topic, subject] = /^([a-z]+) (.*)$/su.exec(text ?? '') ?? [];
      for (const [of, heard] of listeners) {
        if (text === undefined || of === topic) for (const listener of heard) listener(subject);
      }
    },
    on(topic: Topic, listener: SignalListener) {
      const heard = listeners.get(topic) ?? new Set();
      listeners.set(topic, heard.add(listener));
      return () => void heard.delete(listener);
    },
  };
}
