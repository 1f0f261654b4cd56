import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { Problem } from '../../api/problem';
import { Field } from '../../parts/controls/field';
import { SaveBar } from '../../parts/controls/save-bar';
import { LeaveGuard } from '../../parts/overlay/leave-guard';
import { useToast } from '../../parts/overlay/toast';
import { Card, CardBody } from '../../parts/page/card';
import { Failure } from '../../parts/page/states';
import { SettingField } from './setting-field';
import {
  accessSettings,
  changedSettings,
  dataSettings,
  intentHours,
  lossesOf,
  settingsInForce,
  type StoredSettings,
  valueOf,
  wayRequired,
} from './tenant-setting';

type Tenant = Schemas['Tenant'];

/** Edits the name and the settings of the tenant. Members who may not change them see the same, and cannot edit it. */
export function SettingsForm({ tenant }: { readonly tenant: Tenant }) {
  const isFixed = !useMember().may('tenant:update');
  const [name, setName] = useState(tenant.name);
  const [draft, setDraft] = useState<StoredSettings>(tenant.settings);
  const changed = changedSettings(tenant.settings, draft);
  const isChanged = name !== tenant.name || Object.keys(changed).length > 0;
  const save = useSave(tenant);
  const fields = save.error instanceof Problem ? save.error.fields : {};
  const show = (setting: (typeof accessSettings)[number]) => (
    <SettingField
      key={setting.name}
      setting={setting}
      settings={settingsInForce(tenant.type, draft)}
      isFixed={isFixed || (setting.name === wayRequired && tenant.type === 'production')}
      onChange={(settings) => setDraft({ ...draft, [setting.name]: valueOf(setting, settings) })}
    />
  );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ name, settings: changed });
      }}
    >
      <LeaveGuard isChanged={isChanged} mayLeave={() => save.isPending} />
      <Card title="Access">
        <CardBody>{accessSettings.map(show)}</CardBody>
      </Card>
      <Card title="Fingerprints and duplicates">
        <CardBody>{dataSettings.map(show)}</CardBody>
      </Card>
      <Card title="Other">
        <CardBody>
          <Field label="Name of the tenant" errors={fields['name']}>
            {(ids) => (
              <input
                {...ids}
                required
                maxLength={200}
                disabled={isFixed}
                value={name}
                onChange={({ target }) => setName(target.value)}
              />
            )}
          </Field>
          <Field
            label="Hours that a token intent lives"
            hint="Until it becomes a token or is forgotten, from 1 to 48."
            errors={fields[`settings.${intentHours.name}`]}
          >
            {(ids) => (
              <input
                {...ids}
                type="number"
                required
                min={1}
                max={48}
                disabled={isFixed}
                value={valueOf(intentHours, draft)}
                onChange={({ target }) => setDraft({ ...draft, [intentHours.name]: target.value })}
              />
            )}
          </Field>
        </CardBody>
      </Card>
      {save.error === null ? null : <Failure error={save.error} />}
      {isChanged ? (
        <ChangeBar
          losses={lossesOf(changed)}
          isBusy={save.isPending}
          onDiscard={() => {
            setName(tenant.name);
            setDraft(tenant.settings);
          }}
        />
      ) : null}
    </form>
  );
}

/** Says what the edits weaken before they are saved. */
function ChangeBar(bar: {
  readonly losses: readonly string[];
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}) {
  const isWeaker = bar.losses.length > 0;
  return (
    <SaveBar
      action={isWeaker ? 'Save with less protection' : 'Save'}
      kind={isWeaker ? 'plain' : 'main'}
      isBusy={bar.isBusy}
      onDiscard={bar.onDiscard}
    >
      <strong>Edited</strong> and not saved. {bar.losses.join(' ')}
    </SaveBar>
  );
}

function useSave({ id }: Tenant) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: { name: string; settings: Record<string, string> }) =>
      unwrap(api.PUT('/tenants/self', { body })),
    onSuccess: async ({ approval }) => {
      if (approval?.status !== 'pending')
        toast({ text: 'The settings are saved. Servers apply them within a second.' });
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['tenant', id] }),
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]);
    },
  });
}
