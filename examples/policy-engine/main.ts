import { compilePolicy, createRedactor, defaultRedactKeys } from '@portico/policy-engine';

const commands = {
  'tickets.list': () => ['T-1', 'T-2'],
  'tickets.close': ({ id }: { readonly id: string }) => `${id} is closed`,
  'admin.drop_all': () => 'everything was dropped',
};
type Command = keyof typeof commands;

const policy = compilePolicy({ deny: ['admin.*'], requireApproval: ['*.close'] });
const redactor = createRedactor(defaultRedactKeys);

async function run(
  command: Command,
  args: { readonly id: string; readonly token: string },
  ask: () => Promise<boolean>,
) {
  console.log('>', command, redactor.redact(args));
  const decision = policy.decide(command);
  switch (decision.kind) {
    case 'deny':
      return `denied by ${decision.pattern}`;
    case 'not_allowed':
      return 'no pattern allows it';
    case 'require_approval':
      return (await ask()) ? commands[command](args) : 'rejected';
    case 'allow':
      return commands[command](args);
  }
}

const args = { id: 'T-1', token: 'sk-1234567890' };
const yes = async () => true;
for (const command of ['tickets.list', 'tickets.close', 'admin.drop_all'] as const) {
  console.log(await run(command, args, yes));
}
