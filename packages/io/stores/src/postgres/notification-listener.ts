// The listeners to the signals of a database.
import type { SignalListener, Topic } from '../signals.js';

/** Notifies the listeners of a topic, or all listeners if signals may have been missed. */
export function createNotificationListener() {
  const listeners = new Map<Topic, Set<SignalListener>>();
  return {
    dispatch(text: string | undefined) {
      const [, topic, subject] = /^([a-z]+) (.*)$/su.exec(text ?? '') ?? [];
      for (const [of, subscribed] of listeners) {
        if (text === undefined || of === topic) for (const listener of subscribed) listener(subject);
      }
    },
    on(topic: Topic, listener: SignalListener) {
      const subscribed = listeners.get(topic) ?? new Set();
      listeners.set(topic, subscribed.add(listener));
      return () => void subscribed.delete(listener);
    },
  };
}
