// The receivers of notices as operators see them, and test messages to them.
import { type NoticeReceiver, type NoticeStanding, type NoticeTrial, PorticoError } from '@portico/contracts';
import type { PlaneState } from '../state/plane-state.js';

/** Sends notices. Texts that it gives may hold what a service has answered. */
export interface NoticePort {
  /** How deliveries to a receiver went, since the start. */
  standing(receiver: NoticeReceiver): NoticeStanding;
  /** Sends a test message once. Never rejects. @param link that it opens */
  test(receiver: NoticeReceiver, link: string | undefined): Promise<NoticeTrial>;
}

export interface NoticeService {
  /** Origin that links to tickets start with; null if no console is served. */
  linkBase(): string | null;
  list(): readonly NoticeStanding[];
  /**
   * Sends a test message to the receiver of a name, or to each of them.
   * @throws PorticoError RESOURCE_NOT_FOUND for a name that no receiver has
   */
  test(name: string | undefined): Promise<readonly NoticeTrial[]>;
}

/** Sends nothing. */
export const noNotices: NoticePort = Object.freeze({
  standing: ({ name, format }: NoticeReceiver) => ({
    name,
    format,
    origin: '',
    delivered: 0,
    failed: 0,
    last_error: null,
  }),
  test: async ({ name, format }: NoticeReceiver) => {
    return { name, format, origin: '', delivered: false, status: null, message: 'notices are not sent here' };
  },
});

export function createNoticeService(
  port: NoticePort,
  state: () => PlaneState,
  consoleOrigin: () => string | undefined,
): NoticeService {
  const receivers = () => state().config.approvals.notices;
  const redact = (text: string) => state().policy.redactor.redactText(text);
  return {
    linkBase: () => consoleOrigin() ?? null,
    list: () =>
      receivers().map((receiver) => {
        const { last_error, ...standing } = port.standing(receiver);
        return { ...standing, last_error: last_error === null ? null : redact(last_error) };
      }),
    async test(name) {
      const meant = receivers().filter((receiver) => name === undefined || receiver.name === name);
      if (name !== undefined && meant.length === 0) throw unknownReceiver(name, receivers());
      const origin = consoleOrigin();
      const link = origin === undefined ? undefined : `${origin}/ui/approvals`;
      const trials = await Promise.all(meant.map((receiver) => port.test(receiver, link)));
      return trials.map((trial) => ({ ...trial, message: redact(trial.message) }));
    },
  };
}

function unknownReceiver(name: string, receivers: readonly NoticeReceiver[]): PorticoError {
  const known = receivers.map((receiver) => `"${receiver.name}"`).join(', ');
  const there = known === '' ? 'approvals.notices has none' : `approvals.notices has ${known}`;
  return new PorticoError('RESOURCE_NOT_FOUND', `no receiver of notices "${name}"; ${there}`);
}
