// The risk of a tool, as its server annotates it.
import { riskTags } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Badge, type Tone } from '../components/badge.js';
import { useClient } from '../data/session.js';

const tones: Readonly<Record<(typeof riskTags)[number], Tone>> = {
  destructive: 'bad',
  'open-world': 'warn',
  'read-only': 'good',
};

const freshMs = 60_000;

export function RiskBadges({ capability }: { readonly capability: string }) {
  const client = useClient();
  const detail = useQuery({
    queryKey: ['capability', capability],
    staleTime: freshMs,
    queryFn: ({ signal }) => client.describeCapability(capability, { signal }),
  });
  const tags = detail.data?.capability.tags ?? [];
  return riskTags
    .filter((tag) => tags.includes(tag))
    .map((tag) => (
      <Badge key={tag} tone={tones[tag]}>
        {tag}
      </Badge>
    ));
}
