// The lines of the wizard. Values of secrets are never among them.
import { describeServer } from '../../init/plan.js';
import { around, blank, fit, type Line, line, page, piece, type Size, selected } from '../shell/lines.js';
import { planOf, type Step, steps, type WizardState } from './wizard.js';

const titles: Readonly<Record<Step, string>> = {
  servers: 'Which servers shall Portico serve?',
  file: 'Where shall the configuration be written?',
  port: 'Which port shall the daemon listen on?',
  approval: 'Ask a person before tools run that delete, remove, drop, destroy, truncate or purge?',
  redaction: 'Keep values of keys such as password, token and secret from logs?',
  lock: 'Report when a server changes its tools (the lock of definitions, in mode warn)?',
  preview: 'This will be written',
};

const feet: Readonly<Record<Step, string>> = {
  servers: 'up, down  space choose  a all or none  enter next  escape leave',
  file: 'enter next  escape back',
  port: 'enter next  escape back',
  approval: 'y yes  n no  enter next  escape back',
  redaction: 'y yes  n no  enter next  escape back',
  lock: 'y yes  n no  enter next  escape back',
  preview: 'enter write  up, down scroll  escape back',
};

export function toWizardLines(state: WizardState, size: Size): readonly Line[] {
  const { step, problem } = state;
  const at = `(${steps.indexOf(step) + 1}/${steps.length})`;
  const head = [line(piece(`portico init ${at} `, 'faint'), piece(titles[step], 'strong')), blank];
  const foot = [
    ...(problem === null ? [] : [line(piece(`not possible: ${problem}`, 'bad'))]),
    line(piece(feet[step], 'faint')),
  ];
  return page(head, toBody(state, size, size.rows - head.length - foot.length), foot, size.rows);
}

function toBody(state: WizardState, size: Size, room: number): readonly Line[] {
  switch (state.step) {
    case 'servers':
      return toServers(state, size, room);
    case 'file':
      return [line(`> ${state.file}_`)];
    case 'port':
      return [line(`> ${state.port}_`)];
    case 'approval':
      return [line(`> ${state.asksBeforeDestroying ? 'yes' : 'no'}`)];
    case 'redaction':
      return [line(`> ${state.redacts ? 'yes' : 'no'}`)];
    case 'lock':
      return [
        line(`> ${state.locks ? 'yes' : 'no'}`),
        blank,
        line('Nothing is held in this mode. With "enforce" in the file, what changed is held until you accept it.'),
      ];
    case 'preview':
      return toPreview(state, room);
  }
}

function toServers(
  { servers, left, unchecked, cursor }: WizardState,
  { columns }: Size,
  room: number,
): readonly Line[] {
  if (servers.length === 0) {
    return [
      line('No servers were found in the files of AI clients. The file will have none;'),
      line('add some with: portico server add'),
    ];
  }
  const rows = servers.map((server, at) => {
    const isHere = at === cursor;
    const box = unchecked.has(server.server_id) ? '[ ]' : '[x]';
    const id = fit(server.server_id, Math.min(24, Math.floor(columns / 3)));
    return selected(
      line(`${isHere ? '>' : ' '} ${box} ${id} `, piece(`${server.client}: ${describeServer(server)}`, 'faint')),
      isHere,
    );
  });
  const notes = left.map((text) => line(piece(`left out: ${text}`, 'faint')));
  return [...around(rows, cursor, Math.max(1, room)), ...(notes.length === 0 ? [] : [blank, ...notes])];
}

function toPreview(state: WizardState, room: number): readonly Line[] {
  const { shown, holdsSecrets } = planOf(state);
  const note = holdsSecrets
    ? 'with its secrets as the clients had them, masked here, readable by you alone'
    : 'it holds no secrets';
  const lines = shown.trimEnd().split('\n');
  const start = Math.min(state.cursor, Math.max(0, lines.length - Math.max(1, room - 2)));
  return [line(piece(`${state.file}, ${note}`, 'faint')), blank, ...lines.slice(start).map((text) => line(text))];
}
