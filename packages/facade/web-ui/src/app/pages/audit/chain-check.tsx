// Has the service check the hash chain from its first record on, and says what it found.
import { useMutation } from '@tanstack/react-query';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useClient } from '../../data/session.js';
import { formatCount } from '../../lib/format.js';
import { toProblem } from '../../lib/problem.js';

export function ChainCheck() {
  const client = useClient();
  const check = useMutation({ mutationFn: () => client.verifyAudit() });
  const report = check.data?.report;
  return (
    <div className="row" aria-live="polite">
      {report === undefined ? null : (
        <span className="row">
          <Badge tone={report.is_valid ? 'good' : 'bad'}>{report.is_valid ? 'Valid' : 'Not valid'}</Badge>
          <span>
            {formatCount(report.verified_records)} of {formatCount(report.total_records)} records hold.{' '}
            <VisibleText text={report.details} />
          </span>
        </span>
      )}
      <ProblemNote problem={check.error === null ? undefined : toProblem(check.error)} />
      <Button isBusy={check.isPending} onClick={() => check.mutate()}>
        {check.isPending ? 'Checking …' : 'Verify the chain'}
      </Button>
    </div>
  );
}
