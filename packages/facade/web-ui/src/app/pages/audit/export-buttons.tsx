// Saves what matches as a file. It is read through the client, because a link could not send a token.
import { Button } from '../../components/button.js';
import { ProblemNote } from '../../components/states.js';
import { useSession } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import type { Filters } from './query.js';

const formats = { jsonl: 'application/x-ndjson', csv: 'text/csv' } as const;

export function ExportButtons({ filters }: { readonly filters: Filters }) {
  const { client, signal } = useSession();
  const save = useAction(
    async (format: keyof typeof formats) => {
      const parts: string[] = [];
      for await (const part of client.exportAudit({ ...filters, format }, { signal })) parts.push(part);
      signal.throwIfAborted(); // after the sign-out nothing is saved
      const url = URL.createObjectURL(new Blob(parts, { type: formats[format] }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `portico-audit.${format}`;
      link.click();
      URL.revokeObjectURL(url);
    },
    (_saved, format) => `The records are saved as ${format}`,
  );
  return (
    <>
      <Button isBusy={save.isBusy} onClick={() => void save.run('jsonl')}>
        Export as JSONL
      </Button>
      <Button isBusy={save.isBusy} onClick={() => void save.run('csv')}>
        Export as CSV
      </Button>
      <ProblemNote problem={save.problem} />
    </>
  );
}
