// The first steps of a new installation, with the steps that are already done.
import { Link } from 'wouter';
import { Badge } from '../../components/badge.js';
import { Section } from '../../components/page.js';
import { useAiClients } from '../../data/queries.js';

interface FirstStepsProps {
  readonly servers: number;
  readonly hasCalls: boolean;
}

export function FirstSteps({ servers, hasCalls }: FirstStepsProps) {
  const attached = useAiClients().data?.clients.filter((each) => each.attached).length ?? 0;
  const steps = [
    [servers > 0, '/servers', 'Add MCP servers', 'by hand, or import those of an AI client'],
    [attached > 0, '/clients', 'Attach an AI client', 'so that its calls go through Portico'],
    [hasCalls, '/catalog', 'Make a call', 'from the client, or here from the catalog'],
  ] as const;
  return (
    <Section title="Three steps to the first call">
      <ol className="first-steps">
        {steps.map(([isDone, href, title, text]) => (
          <li key={href}>
            <Badge tone={isDone ? 'good' : 'warn'}>{isDone ? 'done' : 'to do'}</Badge> <Link href={href}>{title}</Link>{' '}
            <span className="muted">{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
