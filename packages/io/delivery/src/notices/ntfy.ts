// A notice as the JSON that ntfy publishes: https://docs.ntfy.sh/publish/#publish-as-json. Nothing of a ticket is in a
// header, so no line break or letter beyond ASCII changes one; the text is no Markdown, as `markdown` is not set.
import { cutBytes, cutUnits, type NoticeMessage } from './message.js';

export interface NtfyBody {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  /** 1 (lowest) to 5 (highest): https://docs.ntfy.sh/publish/#message-priority */
  readonly priority: number;
  /** Names of emojis or plain tags: https://docs.ntfy.sh/publish/#tags-emojis */
  readonly tags: readonly string[];
  /** Opened by a tap: https://docs.ntfy.sh/publish/#click-action */
  readonly click?: string;
  /**
   * Actions of the kind `view`, which opens an address and sends nothing: https://docs.ntfy.sh/publish/#open-websiteapp
   */
  readonly actions?: readonly { readonly action: 'view'; readonly label: string; readonly url: string }[];
}

/** Longer messages become attachments: https://docs.ntfy.sh/publish/#limitations */
export const maxNtfyMessageBytes = 4096;
/** The server reads JSON up to twice the size of a message; what is beside the message finds room in the rest. */
export const maxNtfyMessageJsonBytes = 6000;
const maxTitle = 200;

export function toNtfyBody({ title, subject, facts, lines, link, isUrgent }: NoticeMessage, topic: string): NtfyBody {
  const text = [...facts.map(([name, value]) => `${name}: ${value}`), ...lines].join('\n');
  const opening =
    link === undefined ? {} : { click: link, actions: [{ action: 'view', label: 'Open', url: link } as const] };
  return {
    topic,
    title: cutUnits(`${title}: ${subject}`, maxTitle),
    message: cutBytes(text, maxNtfyMessageBytes, maxNtfyMessageJsonBytes),
    priority: isUrgent ? 4 : 3,
    tags: ['portico'],
    ...opening,
  };
}
