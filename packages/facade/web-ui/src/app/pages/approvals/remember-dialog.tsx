// Approves a ticket and keeps the approval for later calls: for how long, how often, and which arguments must stay.
import type { GrantOffer, KeptArgument } from '@portico/contracts';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { CheckField, SelectField, TextField } from '../../components/field.js';
import { Modal } from '../../components/modal.js';
import { ProblemNote } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { conditionLine, type GrantScope, offerText, ttlChoices, ttlText } from '../../lib/grant-words.js';
import type { Problem } from '../../lib/problem.js';
import { cutText } from '../../lib/visible.js';

/** As `POST /v1/approvals/{id}/approve` takes it. */
export interface GrantRequest {
  readonly ttl_secs: number;
  readonly uses: number;
  /** Absent if all arguments stay. */
  readonly keep?: string[];
}

interface RememberDialogProps {
  readonly kind: GrantScope['kind'];
  readonly capability: string;
  readonly offer: GrantOffer;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  onApprove(grant: GrantRequest): void;
  onClose(): void;
}

const usualUses = 20;
const usualTtlSecs = 8 * 3600;
/** Characters of an argument beside its box; the ticket behind the dialog has all of them. */
const roomOfLine = 200;

export function RememberDialog({ kind, capability, offer, isBusy, problem, onApprove, onClose }: RememberDialogProps) {
  const { max_ttl_secs: maxTtl, max_uses: maxUses, arguments: all } = offer;
  const [ttl, setTtl] = useState(Math.min(usualTtlSecs, maxTtl));
  const [usesTyped, setUses] = useState(String(Math.min(usualUses, maxUses)));
  const [free, setFree] = useState<ReadonlySet<string>>(new Set());
  const uses = usesOf(usesTyped, maxUses);
  const kept = all.filter(({ path }) => !free.has(path));
  const scope: GrantScope = {
    kind,
    capability,
    conditions: kept,
    free: all.flatMap(({ path }) => (free.has(path) ? [path] : [])),
  };
  const toggle = (path: string, isKept: boolean) => {
    const next = new Set(free);
    if (isKept) next.delete(path);
    else next.add(path);
    setFree(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (uses === undefined) return;
    const keep = free.size === 0 ? {} : { keep: kept.map(({ path }) => path) };
    onApprove({ ttl_secs: ttl, uses, ...keep });
  };
  return (
    <Modal title="Approve and remember" isWide onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <div className="columns">
          <SelectField
            label="For"
            value={String(ttl)}
            options={[...new Set([...ttlChoices(maxTtl), ttl])].map((secs) => [String(secs), ttlText(secs)] as const)}
            onValue={(next) => setTtl(Number(next))}
          />
          <TextField
            label="Uses"
            hint={`1 to ${maxUses.toLocaleString('en-US')}, after this call.`}
            inputMode="numeric"
            value={usesTyped}
            error={
              uses === undefined ? `Enter a whole number from 1 to ${maxUses.toLocaleString('en-US')}.` : undefined
            }
            onValue={setUses}
          />
        </div>
        {all.length === 0 ? null : <Kept all={all} free={free} onKept={toggle} />}
        {uses === undefined ? null : (
          <p className="note" role="status">
            <VisibleText text={offerText(scope, uses, ttl)} />
          </p>
        )}
        <ProblemNote problem={problem} />
        <div className="actions">
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={uses === undefined}>
            Approve and remember
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Modal>
  );
}

interface KeptProps {
  readonly all: readonly KeptArgument[];
  readonly free: ReadonlySet<string>;
  onKept(path: string, isKept: boolean): void;
}

function Kept({ all, free, onKept }: KeptProps) {
  return (
    <fieldset className="stack">
      <legend>Arguments that must stay as they are</legend>
      <div className="kept">
        {all.map((condition) => (
          <CheckField
            key={condition.path}
            label={<VisibleText text={shortened(conditionLine(condition))} />}
            isChecked={!free.has(condition.path)}
            onChecked={(isKept) => onKept(condition.path, isKept)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function shortened(line: string): string {
  const rest = line.length - roomOfLine;
  return rest <= 0 ? line : `${cutText(line, roomOfLine)}… and ${rest.toLocaleString('en-US')} more characters`;
}

/** Undefined unless it is a whole number within the limit. */
function usesOf(text: string, max: number): number | undefined {
  const uses = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  return uses >= 1 && uses <= max ? uses : undefined;
}
