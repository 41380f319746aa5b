// Tasks, newest first, and one of them whole: its state, what it asks, its result.
import { isJsonObject, type JsonObject, type TaskRecord } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { JsonView } from '../../components/code-view.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { Modal } from '../../components/modal.js';
import { Moment } from '../../components/moment.js';
import { ProblemNote, QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { often } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { QuestionForm } from '../../execution/question-form.js';

interface TaskListProps {
  readonly opened: string | null;
  onOpened(id: string | null): void;
}

export function TaskList({ opened, onOpened }: TaskListProps) {
  const client = useClient();
  const list = useQuery({
    queryKey: ['tasks'],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listTasks({ limit: 100 }, { signal }),
  });
  return (
    <>
      <QueryView query={list} what="the tasks">
        {({ tasks }) => (
          <DataTable
            caption="Tasks, newest first"
            columns={columns(onOpened)}
            rows={tasks}
            keyOf={(task) => task.task_id}
            empty="No call was made as a task."
          />
        )}
      </QueryView>
      {opened === null ? null : <TaskDialog id={opened} onClose={() => onOpened(null)} />}
    </>
  );
}

const tones: Readonly<Record<TaskRecord['status'], Tone>> = {
  working: 'info',
  input_required: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

function StatusBadge({ status }: { readonly status: TaskRecord['status'] }) {
  return <Badge tone={tones[status]}>{status === 'input_required' ? 'asks something' : status}</Badge>;
}

function columns(onOpen: (id: string) => void): readonly Column<TaskRecord>[] {
  return [
    { title: 'Task', kind: 'code', render: ({ task_id: id }) => id },
    { title: 'What', kind: 'code', render: ({ capability_id: id }) => <VisibleText text={id} /> },
    { title: 'State', render: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Changed', render: ({ updated_at: at }) => <Moment at={new Date(at * 1000)} /> },
    {
      title: 'Open',
      kind: 'actions',
      render: ({ task_id: id }) => (
        <Button variant="quiet" onClick={() => onOpen(id)}>
          Open<span className="visually-hidden"> {id}</span>
        </Button>
      ),
    },
  ];
}

function TaskDialog({ id, onClose }: { readonly id: string; onClose(): void }) {
  const client = useClient();
  const task = useQuery({
    queryKey: ['task', id],
    refetchInterval: often,
    queryFn: ({ signal }) => client.getTask(id, { signal }),
  });
  return (
    <Modal title={id} isWide onClose={onClose}>
      <QueryView query={task} what="the task">
        {({ task: shown }) => <Task task={shown} />}
      </QueryView>
    </Modal>
  );
}

function Task({ task }: { readonly task: TaskRecord }) {
  const {
    task_id: id,
    status,
    status_message: message,
    capability_id: capability,
    input_requests: asked,
    result,
  } = task;
  const client = useClient();
  const respond = useAction((answers: JsonObject) => client.respondToTask(id, { input_responses: answers }));
  const cancel = useAction(
    () => client.cancelTask(id),
    () => `${id} is cancelled`,
  );
  const isOpen = status === 'working' || status === 'input_required';
  return (
    <div className="stack">
      <p className="row">
        <StatusBadge status={status} />
        <span className="mono">
          <VisibleText text={capability} />
        </span>
      </p>
      {message === undefined ? null : (
        <p>
          <VisibleText text={message} />
        </p>
      )}
      {asked === undefined || status !== 'input_required' ? null : (
        <QuestionForm
          key={JSON.stringify(asked)}
          inputRequests={toRequests(asked)}
          isBusy={respond.isBusy}
          onAnswers={(answers) => void respond.run(answers)}
        />
      )}
      <ProblemNote problem={respond.problem ?? cancel.problem} />
      {result === undefined ? null : <JsonView label="Result" value={result.ok ? result.data : result.error} />}
      {isOpen ? (
        <div className="actions">
          <Button variant="danger" isBusy={cancel.isBusy} onClick={() => void cancel.run(undefined)}>
            Cancel the task
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function toRequests(asked: JsonObject): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, isJsonObject(value) ? value : {}]));
}
