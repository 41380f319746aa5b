// A notice as a message of a Slack incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
// Texts of others are `text` elements of a rich text block, in which Slack parses neither mentions nor links nor markup.
import { cutUnits, type NoticeMessage } from './message.js';

interface TextElement {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold?: true; readonly code?: true };
}

interface LinkElement {
  readonly type: 'link';
  readonly url: string;
  readonly text: string;
}

interface RichText {
  readonly type: 'rich_text_section' | 'rich_text_preformatted';
  readonly elements: readonly (TextElement | LinkElement)[];
}

export interface SlackBody {
  /** The text of a notification on a phone: parsed, and therefore escaped. */
  readonly text: string;
  readonly mrkdwn: false;
  /** Addresses and names in `text` do not become links. */
  readonly parse: 'none';
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  /** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */
  readonly blocks: readonly [{ readonly type: 'rich_text'; readonly elements: readonly RichText[] }];
}

/** Limit of texts in blocks: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export const maxSlackText = 3000;
const maxFallback = 300;

export function toSlackBody({ title, subject, facts, lines, link }: NoticeMessage): SlackBody {
  const head: readonly TextElement[] = [
    { type: 'text', text: `${title}: `, style: { bold: true } },
    { type: 'text', text: subject, style: { code: true } },
    ...facts.flatMap(([name, value]): TextElement[] => [
      { type: 'text', text: `\n${name}: ` },
      { type: 'text', text: value, style: { code: true } },
    ]),
  ];
  const elements: readonly RichText[] = [
    { type: 'rich_text_section', elements: head },
    ...(lines.length === 0
      ? []
      : [{ type: 'rich_text_preformatted' as const, elements: [{ type: 'text' as const, text: linesOf(lines) }] }]),
    ...(link === undefined
      ? []
      : [
          {
            type: 'rich_text_section' as const,
            elements: [{ type: 'link' as const, url: link, text: 'Open the ticket' }],
          },
        ]),
  ];
  return {
    text: escapeSlack(cutUnits(`${title}: ${subject}`, maxFallback)),
    mrkdwn: false,
    parse: 'none',
    unfurl_links: false,
    unfurl_media: false,
    blocks: [{ type: 'rich_text', elements }],
  };
}

function linesOf(lines: readonly string[]): string {
  return cutUnits(lines.join('\n'), maxSlackText);
}

/** The three characters that begin markup: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
