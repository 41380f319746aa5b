// One budget: what it limits, and its accounts with a bar for each limit, the fullest first.
import type { BudgetAccount, BudgetStanding } from '@portico/contracts';
import { useState } from 'react';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Moment } from '../../components/moment.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import {
  accountName,
  budgetSentence,
  type MeasureUse,
  stateOf,
  textOfUse,
  type UseState,
  usesOf,
} from '../../lib/budget-words.js';
import { formatCount, plural } from '../../lib/format.js';
import { toVisible } from '../../lib/visible.js';
import { ResetDialog } from './reset-dialog.js';

const firstAccounts = 5;
const moreAccounts = 100;

/** The question is about one account, or about all of them. */
type Asked = { readonly account?: BudgetAccount };

export function BudgetSection({ budget }: { readonly budget: BudgetStanding }) {
  const { id, accounts } = budget;
  const [shownCount, setShownCount] = useState(firstAccounts);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const more = accounts.length - shownCount;
  return (
    <Section
      title={id}
      lead={<VisibleText text={budgetSentence(budget)} />}
      actions={
        accounts.length > 1 ? (
          <Button onClick={() => setAsked({})}>
            Empty all {formatCount(accounts.length)}…<span className="visually-hidden"> accounts of {id}</span>
          </Button>
        ) : null
      }
    >
      {accounts.length === 0 ? (
        <Empty>Nothing is used in this window.</Empty>
      ) : (
        <ul className="accounts" aria-label={`Accounts of ${id}, the fullest first`}>
          {accounts.slice(0, shownCount).map((account) => (
            <AccountRow key={account.scope} budget={budget} account={account} onEmpty={() => setAsked({ account })} />
          ))}
        </ul>
      )}
      {more <= 0 ? null : (
        <Button variant="quiet" onClick={() => setShownCount(shownCount + moreAccounts)}>
          Show {Math.min(more, moreAccounts)} more of {plural(more, 'account')}
          <span className="visually-hidden"> of {id}</span>
        </Button>
      )}
      {asked === undefined ? null : <ResetDialog budget={budget} {...asked} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

const states: Readonly<Record<UseState, readonly [Tone, string]>> = {
  within: ['good', 'within its limits'],
  near: ['warn', 'near a limit'],
  used_up: ['bad', 'used up'],
};

interface AccountRowProps {
  readonly budget: BudgetStanding;
  readonly account: BudgetAccount;
  onEmpty(): void;
}

function AccountRow({ budget, account, onEmpty }: AccountRowProps) {
  const [tone, word] = states[stateOf(budget, account)];
  const { in_flight: inFlight, resets_at: resetsAt } = account;
  return (
    <li className="account" data-row data-account={account.scope} tabIndex={-1}>
      <div className="account-head">
        <strong>
          <VisibleText text={accountName(account)} />
        </strong>
        <Badge tone={tone}>{word}</Badge>
        <span className="muted">
          {inFlight === 0 ? '' : `${plural(inFlight, 'call')} in flight, `}
          {resetsAt === null ? (
            'never empty by itself'
          ) : (
            <>
              empty again <Moment at={new Date(resetsAt)} />
            </>
          )}
        </span>
      </div>
      <ul className="uses">
        {usesOf(budget, account).map((use) => (
          <UseBar key={use.measure} use={use} warnAt={budget.warn_at} />
        ))}
      </ul>
      <div className="actions">
        <Button data-key="Enter" onClick={onEmpty}>
          Empty…
          <span className="visually-hidden">
            {' '}
            {toVisible(accountName(account))} of {budget.id}
          </span>
        </Button>
      </div>
    </li>
  );
}

/** Width of the drawing; the text beside it says the same. */
const full = 100;

function UseBar({ use, warnAt }: { readonly use: MeasureUse; readonly warnAt: number }) {
  const percent = Math.floor(use.ratio * 100);
  const mark = warnAt * full;
  return (
    <li className="use">
      <svg
        className={`use-bar is-${use.state}`}
        viewBox={`0 0 ${full} 8`}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        <rect className="use-ground" width={full} height="8" />
        <rect className="use-part" width={Math.min(use.ratio, 1) * full} height="8" />
        <line className="use-mark" x1={mark} x2={mark} y1="0" y2="8" />
      </svg>
      <span className="use-text">
        {textOfUse(use)} <span className="muted">({formatCount(percent)} %)</span>
      </span>
    </li>
  );
}
