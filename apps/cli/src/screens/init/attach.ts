// Lets the user choose the AI clients that use the new configuration: a list with no choice made at first.
import { blank, type Line, line, page, piece, type Size, selected, type ToLines } from '../shell/lines.js';
import { toggle, toStep } from './wizard.js';

export interface Attachable {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Why it cannot be attached; null if it can. */
  readonly problem: string | null;
}

export interface AttachState {
  readonly clients: readonly Attachable[];
  /** The command that the clients run. */
  readonly command: string;
  readonly checked: ReadonlySet<string>;
  readonly cursor: number;
}

/** Gives the ids that were chosen once that is over. */
export function pressAttach(
  state: AttachState,
  key: string,
): { readonly state: AttachState; readonly chosen?: readonly string[] } {
  const { clients, cursor, checked } = state;
  const client = clients[cursor];
  if (key === 'enter') return { state, chosen: [...checked] };
  if (key === 'escape' || key === 'q' || key === 'interrupt') return { state, chosen: [] };
  if (key === ' ' && client !== undefined && client.problem === null) {
    return { state: { ...state, checked: toggle(checked, client.id) } };
  }
  return { state: { ...state, cursor: Math.min(Math.max(0, cursor + toStep(key)), clients.length - 1) } };
}

export const toAttachLines: ToLines<AttachState> = ({ clients, command, checked, cursor }, { rows }: Size) => {
  const head = [line(piece('Which AI clients shall use Portico?', 'strong')), blank];
  const list = clients.map(({ id, name, path, problem }, at): Line => {
    const box = checked.has(id) ? '[x]' : '[ ]';
    const why = problem === null ? piece(path, 'faint') : piece(problem, 'bad');
    return selected(line(`${at === cursor ? '>' : ' '} ${box} ${name}  `, why), at === cursor);
  });
  const notes = [
    blank,
    line(`Each chosen file gets one server entry, "portico", that runs`),
    line(`  ${command}`),
    line('Everything else in it stays, and a copy is kept; portico clients detach undoes it.'),
  ];
  return page(head, [...list, ...notes], [line(piece('space choose  enter go on  q none', 'faint'))], rows);
};
