// Changes a server, once its definition has been read.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import { Modal } from '../../components/modal.js';
import { QueryView } from '../../components/states.js';
import { useConfig } from '../../data/queries.js';
import { ServerDialog } from './server-dialog.js';

interface EditServerProps {
  readonly id: string;
  onClose(): void;
}

export function EditServer({ id, onClose }: EditServerProps) {
  const config = useConfig();
  if (config.data !== undefined)
    return <ServerDialog server={{ id, definition: definitionOf(config.data.config, id) }} onClose={onClose} />;
  return (
    <Modal title={`Edit ${id}`} onClose={onClose}>
      <QueryView query={config} what="its definition">
        {() => null}
      </QueryView>
    </Modal>
  );
}

export function definitionOf(config: JsonObject, id: string): JsonObject {
  const servers = config.mcpServers;
  const found = isJsonObject(servers) && Object.hasOwn(servers, id) ? servers[id] : undefined;
  return isJsonObject(found) ? found : {};
}
