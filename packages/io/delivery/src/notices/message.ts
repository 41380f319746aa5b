// The content of a notice, for every format: the words of Portico and, apart from them, the texts of callers, servers
// and operators. A format sends the latter so that nothing in them is markup, a mention or a link.
import { type ApprovalNotice, argumentLines, changeLines } from '@portico/contracts';
import { visibleText } from '@portico/policy-engine';

export interface NoticeMessage {
  /** Words of Portico only. */
  readonly title: string;
  /** The id of the tool, prompt or resource to be run: a text of a server. */
  readonly subject: string;
  /** Facts by their names, which are words of Portico. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Lines of the view; empty if there are none to show. */
  readonly lines: readonly string[];
  /** Opens the ticket in the console; undefined without a console. */
  readonly link: string | undefined;
  /** Waits for a person, now. */
  readonly isUrgent: boolean;
}

const titles = {
  'approval.created': 'A call waits for approval',
  'approval.approved': 'Approved',
  'approval.rejected': 'Rejected',
  'approval.expired': 'Expired without a decision',
} as const satisfies Readonly<Record<ApprovalNotice['event'], string>>;

/** Longest of one fact, in characters. */
const maxFact = 200;

/** @param showsArguments otherwise the lines of the view are left out, as they may hold what a phone should not show */
export function toNoticeMessage({ event, approval, link }: ApprovalNotice, showsArguments: boolean): NoticeMessage {
  const { status, view, client, rule } = approval;
  const isUrgent = event === 'approval.created';
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Asked by', client?.name],
    ['Rule', isUrgent ? rule : undefined],
    ['By', status.operator],
    ['Reason', status.reason],
    ['Expires', isUrgent ? isoTime(approval.expires_at) : undefined],
    ['Ticket', approval.id],
  ];
  return {
    title: view.reasked && isUrgent ? 'A call waits for approval again: its definition changed' : titles[event],
    subject: oneLine(approval.capability_id),
    facts: [
      ...facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, oneLine(value)] as const])),
      ...(isUrgent && view.description !== null
        ? [['Described as', cutUnits(view.description, maxFact)] as const]
        : []),
    ],
    lines: isUrgent && showsArguments ? [...changeLines(view), ...argumentLines(view.arguments)] : [],
    link,
    isUrgent,
  };
}

/** The message of `portico notices test`. */
export function testMessage(link: string | undefined): NoticeMessage {
  const facts = [['Sent by', 'portico notices test']] as const;
  return { title: 'A test message of Portico', subject: 'nothing waits', facts, lines: [], link, isUrgent: false };
}

/** As it is where it is plain, else quoted, with hidden characters escaped; on one line and cut. */
function oneLine(text: string): string {
  const shown = plain.test(text) ? text : visibleText(text, maxFact).text;
  return cutUnits(shown, 2 * maxFact);
}

const plain = /^[A-Za-z0-9 _.:/*-]{1,200}$/;

/** @param epochSecs Unix seconds */
function isoTime(epochSecs: number): string {
  return `${new Date(epochSecs * 1000).toISOString().slice(0, 19)}Z`;
}

/** Cuts a text at a number of UTF-16 units, never inside of a surrogate pair, and says that it did. */
export function cutUnits(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = ' …';
  const kept = text.slice(0, most - mark.length);
  return `${/[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept}${mark}`;
}

/**
 * Cuts a text by its size in UTF-8, and by the size of its JSON text, in which quotes and backslashes take two bytes.
 * @param most bytes of the text  @param mostJson bytes of its JSON text
 */
export function cutBytes(text: string, most: number, mostJson: number): string {
  const fits = (part: string) => {
    return Buffer.byteLength(part) <= most && Buffer.byteLength(JSON.stringify(part)) <= mostJson;
  };
  if (fits(text)) return text;
  let low = 0;
  let high = Math.min(text.length, most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutUnits(text, middle))) low = middle;
    else high = middle - 1;
  }
  return cutUnits(text, low);
}
