// A notice as the parameters of `sendMessage`: https://core.telegram.org/bots/api#sendmessage. There is no `parse_mode`, so
// nothing in the text is markup. Texts of others are `code` or `pre` entities, in which Telegram finds no mention, command,
// hashtag or link: https://core.telegram.org/bots/api#messageentity
import { cutUnits, type NoticeMessage } from './message.js';

interface Entity {
  readonly type: 'bold' | 'code' | 'pre';
  /** In UTF-16 units, as JavaScript counts. */
  readonly offset: number;
  readonly length: number;
}

export interface TelegramBody {
  readonly chat_id: string;
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly link_preview_options: { readonly is_disabled: true };
}

/** Maximum length of a message after its entities are parsed. */
export const maxTelegramText = 4096;

export function toTelegramBody({ title, subject, facts, lines, link }: NoticeMessage, chatId: string): TelegramBody {
  const entities: Entity[] = [];
  let text = '';
  const add = (part: string, type?: Entity['type']) => {
    if (type !== undefined && part.length > 0) entities.push({ type, offset: text.length, length: part.length });
    text += part;
  };
  add(title, 'bold');
  add('\n');
  add(subject, 'code');
  for (const [name, value] of facts) {
    add(`\n${name}: `);
    add(value, 'code');
  }
  const opening = link === undefined ? '' : `\n${link}`;
  const room = maxTelegramText - text.length - opening.length - 1;
  if (lines.length > 0) {
    add('\n');
    add(cutUnits(lines.join('\n'), room), 'pre');
  }
  add(opening);
  return { chat_id: chatId, text, entities, link_preview_options: { is_disabled: true } };
}
