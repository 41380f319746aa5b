// "Why?" beside an error or an event.
import { Link } from 'wouter';
import { useWhyPath } from './why-address.js';

interface WhyLinkProps {
  /** Of a record, a trace, an approval or a request. */
  readonly id: string;
  /** What is explained, for those who hear the link alone. */
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
