import { createSearchIndex, type SearchEntry } from '@portico/search';

/** The shape that most agent frameworks give a tool. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const tools: readonly Tool[] = [
  { name: 'send_invoice', description: 'Sends an invoice to a customer', parameters: { customer: 'string' } },
  { name: 'refund_payment', description: 'Pays a customer back', parameters: { payment: 'string', cents: 'number' } },
  { name: 'list_customers', description: 'Lists all customers', parameters: {} },
];

function toDocument({ name, description, parameters }: Tool): SearchEntry {
  return {
    id: name,
    description,
    argumentNames: Object.keys(parameters),
    mode: name.startsWith('list_') ? 'read' : 'write',
  };
}

const index = createSearchIndex(tools.map(toDocument));
for (const text of ['refunding a payment', 'which customers are there', 'send the invoice']) {
  const [best] = index.search({ text, limit: 1 });
  console.log(text, '->', best?.id);
}
console.log(index.search({ modes: ['read'], limit: 10 }).map(({ id }) => id));
