// `completion/complete` of an argument of a prompt or a resource template.
import { errorEnvelope, type JsonObject, nothingSent, PorticoError } from '@portico/contracts';
import { invalidParams, requestFailure } from '../calls/failures.js';
import { correlationOf, type Incoming } from '../calls/incoming.js';
import { whenKnown } from '../calls/when-known.js';
import { askedPrompt, promptId } from './get-prompt.js';
import { objectParam, textParam } from './params.js';
import { askedResource, resourceId } from './read-resource.js';

export async function complete(incoming: Incoming): Promise<JsonObject> {
  const { kind, name } = reference(incoming);
  const asked = () => [kind === 'prompt' ? askedPrompt(incoming, name) : askedResource(incoming, name)];
  return whenKnown(incoming, asked, completeKnown);
}

async function completeKnown(incoming: Incoming): Promise<JsonObject> {
  const { deps, connection, context, params } = incoming;
  const argument = objectParam(params, 'argument');
  const { kind, name } = reference(incoming);
  const request = {
    ref_type: kind,
    ref_name: kind === 'prompt' ? promptId(incoming, name) : resourceId(incoming, name),
    argument_name: textParam(argument, 'name'),
    argument_value: textParam(argument, 'value'),
  };
  const correlation = correlationOf(incoming);
  const { caller } = connection;
  try {
    const data = await deps.plane.complete({ request, correlation, caller, signal: context.mcpReq.signal });
    const { values, total, has_more } = data;
    const more = {
      ...(total === undefined ? {} : { total }),
      ...(has_more === undefined ? {} : { hasMore: has_more }),
    };
    return { completion: { values: values.slice(0, maxValues), ...more } };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    throw requestFailure(
      incoming.connection.era,
      errorEnvelope(correlation, nothingSent, { code: error.code, message: error.message }),
    );
  }
}

/** MCP, server/utilities/completion. */
const maxValues = 100;

function reference({ params }: Incoming): { readonly kind: 'prompt' | 'resource'; readonly name: string } {
  const ref = objectParam(params, 'ref');
  switch (ref.type) {
    case 'ref/prompt':
      return { kind: 'prompt', name: textParam(ref, 'name') };
    case 'ref/resource':
      return { kind: 'resource', name: textParam(ref, 'uri') };
    default:
      throw invalidParams('params.ref.type: expected "ref/prompt" or "ref/resource"');
  }
}
