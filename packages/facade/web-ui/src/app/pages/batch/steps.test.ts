import { expect, it } from 'vitest';
import { newStep, problemsOf, type Step, toRequest } from './steps.js';

const step = (part: Partial<Step>): Step => ({ ...newStep([]), capabilityId: 'a.b', ...part });

it('gives a new step an id that none before it has', () => {
  expect(newStep([]).id).toBe('step1');
  expect(newStep(['step2']).id).toBe('step3');
});

it('says what keeps a step from being sent', () => {
  expect(problemsOf([step({}), step({}), step({ id: '', capabilityId: '', argsText: '[1]' })])).toEqual([
    {},
    { id: 'An earlier step has this id.' },
    {
      id: 'A step needs an id.',
      capabilityId: 'Choose a tool.',
      argsText: 'expected a JSON object, such as {"name": "value"}',
    },
  ]);
});

it('becomes the body of a request', () => {
  expect(toRequest([step({ argsText: '{"x": "$step0.id"}', continuesOnError: true }), step({ argsText: '' })])).toEqual(
    {
      steps: [
        { id: 'step1', capability_id: 'a.b', args: { x: '$step0.id' }, continue_on_error: true },
        { id: 'step1', capability_id: 'a.b', args: {} },
      ],
    },
  );
});
