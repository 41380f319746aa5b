// The rules of what may be used: each is added, changed and removed by itself.
import type { Answers } from '@portico/client';
import type { PolicyInForce } from '@portico/contracts';
import { Page } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { useConfig, useUnmatchedRules } from '../../data/queries.js';
import { inForce } from './in-force.js';
import { usePolicyRules } from './policy-queries.js';
import { RuleSection } from './rule-section.js';
import type { RuleList } from './rules.js';
import { ShadowSection } from './shadow-section.js';
import { Tester } from './tester.js';
import { TimesSection } from './times-section.js';
import { WebhookSection } from './webhook-section.js';
import './policy.css';

const lists = [
  ['deny', 'Denied', 'These are not listed, and refused when used.', 'Nothing is denied.'],
  [
    'allow',
    'Allowed',
    'With any rule here, everything else does not exist for callers.',
    'Everything is allowed that is not denied.',
  ],
  ['require_approval', 'Held for approval', 'Each use waits for a person.', 'Nothing waits for a person.'],
  [
    'redact_keys',
    'Redacted keys',
    'Values under these names never reach logs, traces, records and webhooks. The default names are shown until a list is written.',
    'Nothing is redacted.',
  ],
] as const;

const none: ReadonlySet<string> = new Set();
const noRules: Answers['listPolicyRules']['rules'] = [];

/** In the configuration. */
const fields: Readonly<Record<RuleList, string>> = {
  deny: 'deny',
  allow: 'allow',
  require_approval: 'requireApproval',
  redact_keys: 'redactKeys',
};

export function PolicyPage() {
  const config = useConfig();
  return (
    <Page
      title="Policy"
      lead="Tried in this order: deny, allow, hold for approval. * matches any run of characters; a rule is tried on the id and on every alias of it."
    >
      <Tester profiles={Object.keys(config.data?.profiles ?? {})} roles={rolesOf(config.data?.config)} />
      <QueryView query={config} what="the policy">
        {(data) => <Rules policy={inForce(data.config)} />}
      </QueryView>
    </Page>
  );
}

function Rules({ policy }: { readonly policy: PolicyInForce }) {
  const unmatched = new Set(
    useUnmatchedRules()
      .data?.unmatched.filter(({ path }) => path.startsWith('policy.'))
      .map(({ pattern }) => pattern),
  );
  const met = usePolicyRules().data?.rules ?? noRules;
  const metBy = (list: RuleList) => (rule: string) =>
    met.find(
      ({ path, list: of, pattern }) => path.startsWith(`policy.${fields[list]}[`) && of === list && pattern === rule,
    );
  return (
    <>
      <div className="rule-lists">
        {lists.map(([list, title, lead, empty]) => (
          <RuleSection
            key={list}
            list={list}
            title={title}
            lead={lead}
            empty={empty}
            rules={policy[list]}
            unmatched={list === 'redact_keys' ? none : unmatched}
            metBy={metBy(list)}
          />
        ))}
      </div>
      <ShadowSection policy={policy} rules={met} />
      <div className="columns">
        <TimesSection key={policy.approval_timeout_secs} timeoutSecs={policy.approval_timeout_secs} />
        <WebhookSection key={JSON.stringify(policy.webhook)} webhook={policy.webhook} />
      </div>
    </>
  );
}

function rolesOf(config: { readonly [name: string]: unknown } | undefined): readonly string[] {
  const rbac = config?.rbac;
  const roles = typeof rbac === 'object' && rbac !== null && 'roles' in rbac ? rbac.roles : undefined;
  return typeof roles === 'object' && roles !== null ? Object.keys(roles) : [];
}
