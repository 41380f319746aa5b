// Determines the MCP lists that a change touches, in the whole catalog or in the view of a profile or a role.
import type { ControlPlane } from '@portico/control-plane';

export const listKinds = ['tools', 'resources', 'prompts'] as const;
export type ListKind = (typeof listKinds)[number];

/** Compares what is listed with what was when it was last asked. */
export function createListComparison(plane: ControlPlane): () => readonly ListKind[] {
  let known = contentOf(plane.state());
  return () => {
    const now = contentOf(plane.state());
    const before = known;
    known = now;
    return listKinds.filter((kind) => isOtherwise(before[kind], now[kind]));
  };
}

/** The visible entries of each profile and role, by name. */
type Content = ReadonlyMap<string, string>;

/** A profile or a role that is new, or was removed, has no clients. */
function isOtherwise(before: Content, now: Content): boolean {
  return [...now].some(([viewer, text]) => before.has(viewer) && before.get(viewer) !== text);
}

/** Digests cover the whole definition and the alias, `passthrough` included. */
function contentOf({ config, view }: ReturnType<ControlPlane['state']>): Readonly<Record<ListKind, Content>> {
  const roles = [null, ...(config.rbac?.roles.keys() ?? [])];
  const viewers = [null, ...config.profiles.keys()].flatMap((profile) => roles.map((role) => ({ profile, role })));
  const views = viewers.map((viewer) => [JSON.stringify(viewer), view(viewer)] as const);
  const contentBy = (list: 'capabilities' | 'resources' | 'prompts'): Content =>
    new Map(views.map(([viewer, seen]) => [viewer, (seen?.[list] ?? []).map(({ digest }) => digest).join()]));
  const exposure: Content = new Map([['exposure', config.mcpExposure]]);
  return {
    tools: new Map([...contentBy('capabilities'), ...exposure]),
    resources: contentBy('resources'),
    prompts: contentBy('prompts'),
  };
}
