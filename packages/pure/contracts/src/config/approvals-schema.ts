// The approvals block as it is written in the configuration file: where links lead, and who gets notices of tickets.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { approvalEvents } from '../wire/approvals.js';

const text = (what: string) => v.pipe(v.string(), v.minLength(1), v.maxLength(1024), v.description(what));
const variable = (what: string) =>
  v.pipe(
    v.string(),
    v.regex(
      /^[A-Za-z_][A-Za-z0-9_]*$/,
      'must be the name of an environment variable; the value itself does not belong in the file',
    ),
    v.description(`Environment variable that holds ${what}`),
  );
const maybe = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

const address = (what: string) =>
  v.pipe(
    v.string(),
    v.regex(/^https?:\/\/[^/\s?#@]+\/?$/i, 'must be an http: or https: address without login, path and query'),
    v.description(what),
  );

const common = {
  name: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
    v.description('Name in logs, metrics and `portico notices`'),
  ),
  events: maybe(
    v.pipe(v.array(v.picklist(approvalEvents)), v.minLength(1), v.description('Events that are sent; all by default')),
  ),
  match: maybe(
    v.pipe(
      v.array(text('A pattern of ids')),
      v.minLength(1),
      v.maxLength(1000),
      v.description('Ids of the capabilities whose tickets are sent, `*` for any run of characters; all by default'),
    ),
  ),
  arguments: maybe(v.pipe(v.boolean(), v.description('Whether the redacted arguments are in the text (default true)'))),
};

const ntfySchema = v.looseObject({
  format: v.pipe(v.literal('ntfy'), v.description('An ntfy topic')),
  ...common,
  url: maybe(address('The ntfy server (default https://ntfy.sh)')),
  topic: maybe(
    v.pipe(
      v.string(),
      v.regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
      v.description('The topic'),
    ),
  ),
  topicEnv: maybe(variable('the topic, where its name is what keeps it private')),
  tokenEnv: maybe(variable('an access token, sent as a bearer token')),
});

const slackSchema = v.looseObject({
  format: v.pipe(v.literal('slack'), v.description('A Slack incoming webhook')),
  ...common,
  urlEnv: variable('the address of the incoming webhook, which is a secret as a whole'),
});

const telegramSchema = v.looseObject({
  format: v.pipe(v.literal('telegram'), v.description('A chat of a Telegram bot')),
  ...common,
  url: maybe(address('The Bot API server (default https://api.telegram.org)')),
  tokenEnv: variable('the token of the bot'),
  chatId: v.pipe(
    v.string(),
    v.regex(/^(-?\d{1,20}|@[A-Za-z0-9_]{1,64})$/, 'must be the number of a chat, as a text, or @channel'),
    v.description('The chat, such as "-1001234567890" or "@channel"'),
  ),
});

export const noticeReceiverSchema = v.variant('format', [ntfySchema, slackSchema, telegramSchema]);
export type RawNoticeReceiver = v.InferOutput<typeof noticeReceiverSchema>;

/** The fields of a receiver by its format; those of all where it names none. */
export function noticeReceiverFields(receiver: { readonly format?: unknown }): readonly string[] {
  const options = noticeReceiverSchema.options.filter(
    ({ entries }) => entries.format.pipe[0].literal === receiver.format,
  );
  return (options.length > 0 ? options : noticeReceiverSchema.options).flatMap(({ entries }) => Object.keys(entries));
}

export const approvalsSchema = notAList(
  v.looseObject({
    publicUrl: maybe(
      address(
        'Address at which people reach the web console, for links in notices and errors: scheme, host and port (default: where the daemon listens)',
      ),
    ),
    notices: maybe(
      v.pipe(
        v.array(noticeReceiverSchema),
        v.maxLength(100),
        v.description('Receivers of notices about tickets besides the webhook'),
      ),
    ),
  }),
);
export type RawApprovals = v.InferOutput<typeof approvalsSchema>;
