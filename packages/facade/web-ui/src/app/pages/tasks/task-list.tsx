// Tasks, newest first, and one of them whole: its state, what it asks, its result.
import { isJsonObject, type JsonObject, type TaskRecord, taskStatuses } from '@portico/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
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
import { formatCount } from '../../lib/format.js';
import { entryPath } from '../catalog/entry-link.js';

/** Tasks that are read at once. */
const most = 100;

interface TaskListProps {
  /** Status of the shown tasks; null for all. */
  readonly status: string | null;
  readonly opened: string | null;
  onOpened(id: string | null): void;
}

export function TaskList({ status, opened, onOpened }: TaskListProps) {
  const client = useClient();
  const list = useQuery({
    queryKey: ['tasks'],
    refetchInterval: often,
    queryFn: ({ signal }) => client.listTasks({ limit: most }, { signal }),
  });
  return (
    <>
      <QueryView query={list} what="the tasks">
        {({ tasks: all }) => (
          <>
            <TaskFigures tasks={all} />
            <DataTable
              caption="Tasks, newest first"
              columns={columns(onOpened)}
              rows={status === null ? waitingFirst(all) : all.filter((task) => task.status === status)}
              keyOf={(task) => task.task_id}
              empty={status === null ? 'No call was made as a task.' : 'No task is in this state now.'}
            />
          </>
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
  return <Badge tone={tones[status]}>{wordOf(status)}</Badge>;
}

function wordOf(status: TaskRecord['status']): string {
  return status === 'input_required' ? 'asks something' : status === 'completed' ? 'done' : status;
}

function columns(onOpen: (id: string) => void): readonly Column<TaskRecord>[] {
  return [
    { title: 'What', render: (task) => <Sentence task={task} /> },
    { title: 'State', render: ({ status }) => <StatusBadge status={status} /> },
    { title: 'It says', render: ({ status_message: message = '' }) => <VisibleText text={message} /> },
    { title: 'Begun', render: ({ created_at: at }) => <Moment at={new Date(at * 1000)} /> },
    { title: 'Changed', render: ({ updated_at: at }) => <Moment at={new Date(at * 1000)} /> },
    {
      title: 'Open',
      kind: 'actions',
      render: ({ task_id: id, status }) => (
        <Button variant="quiet" data-key="Enter" onClick={() => onOpen(id)}>
          {status === 'input_required' ? 'Answer' : 'Open'}
          <span className="visually-hidden"> {id}</span>
        </Button>
      ),
    },
  ];
}

/** The client and the tool of a task; the id is in the dialog. */
function Sentence({ task: { capability_id: id, client } }: { readonly task: TaskRecord }) {
  return (
    <span>
      {client === undefined ? null : (
        <>
          <VisibleText text={client.name} /> called{' '}
        </>
      )}
      <Link href={entryPath('tools', id)}>
        <strong>
          <VisibleText text={id} />
        </strong>
      </Link>
    </span>
  );
}

/** How many are in each state: each number shows those. */
function TaskFigures({ tasks }: { readonly tasks: readonly TaskRecord[] }) {
  if (tasks.length === 0) return null;
  return (
    <p className="figure-line">
      <Link href="/tasks">
        <strong>{formatCount(tasks.length)}</strong> {tasks.length === 1 ? 'task' : 'tasks'}
        {tasks.length === most ? ', the last' : ''}
      </Link>
      {taskStatuses.map((status) => {
        const count = tasks.filter((task) => task.status === status).length;
        return count === 0 ? null : (
          <Link key={status} href={`/tasks?status=${status}`}>
            <strong>{formatCount(count)}</strong> {wordOf(status)}
          </Link>
        );
      })}
    </p>
  );
}

/** Sorts tasks with a question first, then working tasks; the newest first. */
function waitingFirst(tasks: readonly TaskRecord[]): readonly TaskRecord[] {
  const rank = ({ status }: TaskRecord) => (status === 'input_required' ? 0 : status === 'working' ? 1 : 2);
  return tasks.toSorted((a, b) => rank(a) - rank(b));
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
    created_at: created,
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
        <strong className="mono">
          <VisibleText text={capability} />
        </strong>
        <span className="muted">
          begun <Moment at={new Date(created * 1000)} />
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
