// A call as a row: when, who called what, with which arguments, and how it ended. Caller and tool have columns of their own,
// so that a longer name moves nothing.
import { type RecentCall, toEventText } from '@portico/contracts';
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Moment } from '../../components/moment.js';
import { VisibleText } from '../../components/visible-text.js';
import { formatDuration } from '../../lib/format.js';
import { useWhyPath } from '../../why/why-address.js';
import { WhyLink } from '../../why/why-link.js';

/** Characters of arguments that a row has room for. */
const roomForArguments = 160;

export function CallRow({ call }: { readonly call: RecentCall }) {
  const { id, timestamp, arguments: args = '', duration_us: took, status } = call;
  const { who, verb, what, outcome, tone } = toEventText(call);
  const pathOf = useWhyPath();
  return (
    <tr data-row tabIndex={-1}>
      <td className="feed-time">
        <Moment at={new Date(timestamp)} />
      </td>
      <td className="feed-who">
        <VisibleText text={`${who} ${verb} `} />
      </td>
      <td className="feed-what">
        <Link href={pathOf(id)} data-key="Enter" className="row-link">
          <strong>
            <VisibleText text={what} />
          </strong>
        </Link>
      </td>
      <td className="feed-args mono">
        <VisibleText text={args === '{}' ? '' : args.slice(0, roomForArguments)} />
      </td>
      <td className="feed-outcome">
        {status === 'success' ? (
          <span className="muted">{outcome}</span>
        ) : (
          <Badge tone={tone}>
            <VisibleText text={outcome} />
          </Badge>
        )}
      </td>
      <td className="feed-took">{took === undefined ? '' : formatDuration(took / 1000)}</td>
      <td className="feed-why">
        <WhyLink id={id} of={`${what}, ${id}`} />
      </td>
    </tr>
  );
}
