// An event as a sentence: "claude-code called github.create_issue".
import { type EventSource, toEventText } from '@portico/contracts';
import { VisibleText } from './visible-text.js';

export function EventSentence({ event }: { readonly event: EventSource }) {
  const { who, verb, what } = toEventText(event);
  return (
    <span className="event-sentence">
      <VisibleText text={who} /> {verb}{' '}
      {what === '' ? null : (
        <strong>
          <VisibleText text={what} />
        </strong>
      )}
    </span>
  );
}
