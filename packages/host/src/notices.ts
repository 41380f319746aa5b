// Parts of notices that the host adds: their counts in the metrics, and the address that their links lead to.
import type { NoticeReceiver } from '@portico/contracts';
import type { PlaneMetrics } from '@portico/control-plane';
import type { NoticeCount } from '@portico/delivery';

export function observeNotices(metrics: PlaneMetrics, counts: () => readonly NoticeCount[]): void {
  metrics.observe({
    type: 'counter',
    name: 'portico_notices_total',
    help: 'Notices of approvals that were delivered, or given up after every try',
    labels: ['receiver', 'result'],
    read: () =>
      counts().flatMap(({ receiver, delivered, failed }) => [
        { labels: { receiver, result: 'delivered' }, value: delivered },
        { labels: { receiver, result: 'failed' }, value: failed },
      ]),
  });
}

export interface ConsolePlace<Files> {
  /** Undefined if no console is served. */
  readonly files: Files | undefined;
  /** Where a browser on this machine opens it, without a slash at the end; undefined until it is served. */
  readonly url: () => string | undefined;
  /** Keeps the address of the listener, and gives it back. */
  readonly servedAt: (url: string) => string;
}

/** @param files undefined for a host without a console */
export function placeConsole<Files>(files: Files | undefined): ConsolePlace<Files> {
  let at: string | undefined;
  return {
    files,
    url: () => at,
    servedAt(url) {
      if (files !== undefined) at = reachableUrl(url);
      return url;
    },
  };
}

/** A listener that is bound to all addresses is opened on loopback. */
function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** The fields of a receiver that name variables with secrets, and the names. */
export function noticeVariables(receiver: NoticeReceiver): readonly (readonly [field: string, name: string])[] {
  return Object.entries(receiver).flatMap(([field, value]: [string, unknown]) =>
    field.endsWith('Env') && typeof value === 'string' ? [[field, value] as const] : [],
  );
}
