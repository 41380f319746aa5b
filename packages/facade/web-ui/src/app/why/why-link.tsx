// "Why?" beside an error or an event.
import { Link } from 'wouter';
import { useWhyPath } from './why-address.js';

interface WhyLinkProps {
  /** Id of a record, a trace, an approval or a request. */
  readonly id: string;
  /** The thing that is explained, for screen readers that read the link alone. */
  readonly of: string;
}

export function WhyLink({ id, of }: WhyLinkProps) {
  const pathOf = useWhyPath();
  return (
    <Link href={pathOf(id)} className="why-link" data-key="w">
      Why?<span className="visually-hidden"> {of}</span>
    </Link>
  );
}
