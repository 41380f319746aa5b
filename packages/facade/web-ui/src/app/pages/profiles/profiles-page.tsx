// Named views of some of the servers.
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { DataTable } from '../../components/data-table.js';
import { Page, Section } from '../../components/page.js';
import { QueryView } from '../../components/states.js';
import { VisibleText } from '../../components/visible-text.js';
import { useConfig } from '../../data/queries.js';
import { useClient } from '../../data/session.js';
import { useAction } from '../../data/use-action.js';
import { toVisible } from '../../lib/visible.js';
import { type Profile, ProfileDialog } from './profile-dialog.js';

type Open = { readonly kind: 'add' } | { readonly kind: 'edit' | 'remove'; readonly profile: Profile };

export function ProfilesPage() {
  const config = useConfig();
  const [open, setOpen] = useState<Open | undefined>(undefined);
  const close = () => setOpen(undefined);
  const servers = config.data?.servers.map(({ id }) => id) ?? [];
  return (
    <Page
      title="Profiles"
      lead="A profile shows some of the servers. The other servers do not exist for clients that use the profile."
      actions={
        <Button variant="primary" onClick={() => setOpen({ kind: 'add' })}>
          Add a profile
        </Button>
      }
    >
      <Section title="All profiles">
        <QueryView query={config} what="the profiles">
          {(data) => (
            <DataTable
              caption="Profiles"
              rows={Object.entries(data.profiles).map(([name, profile]) => ({ name, ...profile }))}
              keyOf={({ name }) => name}
              empty="No profiles yet. Every client sees all servers."
              columns={[
                { title: 'Profile', kind: 'code', render: ({ name }) => <VisibleText text={name} /> },
                { title: 'Description', render: ({ description }) => <VisibleText text={description ?? '–'} /> },
                {
                  title: 'Servers',
                  render: ({ servers: ids }) => <VisibleText text={ids.length === 0 ? 'none' : ids.join(', ')} />,
                },
                {
                  title: 'Actions',
                  kind: 'actions',
                  render: (profile) => (
                    <>
                      <Button variant="quiet" data-key="Enter" onClick={() => setOpen({ kind: 'edit', profile })}>
                        Edit<span className="visually-hidden"> {toVisible(profile.name)}</span>
                      </Button>
                      <Button variant="quiet" onClick={() => setOpen({ kind: 'remove', profile })}>
                        Remove<span className="visually-hidden"> {toVisible(profile.name)}</span>
                      </Button>
                    </>
                  ),
                },
              ]}
            />
          )}
        </QueryView>
      </Section>
      {open?.kind === 'add' ? <ProfileDialog known={undefined} servers={servers} onClose={close} /> : null}
      {open?.kind === 'edit' ? <ProfileDialog known={open.profile} servers={servers} onClose={close} /> : null}
      {open?.kind === 'remove' ? <RemoveDialog name={open.profile.name} onClose={close} /> : null}
    </Page>
  );
}

function RemoveDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const client = useClient();
  const remove = useAction(
    () => client.deleteProfile(name),
    () => `Profile ${name} is removed`,
  );
  const confirm = async () => {
    if ((await remove.run(undefined)) !== undefined) onClose();
  };
  return (
    <ConfirmDialog
      title={`Remove the profile ${name}?`}
      verb="Remove"
      isBusy={remove.isBusy}
      problem={remove.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>Clients that use it then get the answer that there is no such profile.</p>
    </ConfirmDialog>
  );
}
