import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/problem';
import {
  changeWebhook,
  createWebhook,
  listEventTypes,
  type Webhook,
  type WebhookSettings,
  type WebhookWithSecret,
} from '../../api/webhooks';
import { Field, FieldErrors } from '../../parts/controls/field';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Failure } from '../../parts/page/states';

interface Draft {
  readonly name: string;
  readonly url: string;
  readonly email: string;
  readonly containers: string;
  readonly events: ReadonlySet<string>;
}

/** Creates a webhook, or changes one. A new one comes with its signing secret. */
export function WebhookForm(form: {
  readonly of?: Webhook;
  readonly onClose: () => void;
  readonly onCreated?: (made: WebhookWithSecret) => void;
}) {
  const { of, onClose, onCreated } = form;
  const [first] = useState(() => toDraft(of));
  const [draft, setDraft] = useState(first);
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const queries = useQueryClient();
  const toast = useToast();
  const types = useQuery({ queryKey: ['event-types'], queryFn: listEventTypes, staleTime: Number.POSITIVE_INFINITY });
  const save = useMutation({
    mutationFn: async () => {
      const settings = toSettings(draft);
      if (of === undefined) onCreated?.(await createWebhook(settings));
      else await changeWebhook(of.id, changedIn(settings, toSettings(toDraft(of))));
    },
    onSuccess: async () => {
      if (of !== undefined) toast({ text: 'The webhook was changed' });
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
    },
  });
  const { error } = save;
  const errors = error instanceof Problem ? error.fields : {};
  return (
    <FormDialog
      title={of === undefined ? 'New webhook' : 'Change the webhook'}
      action={of === undefined ? 'Create the webhook' : 'Save'}
      isChanged={isEdited(draft, first)}
      isSaving={save.isPending}
      maySave={draft.events.size > 0}
      onSave={save.mutate}
      onClose={onClose}
    >
      <StaleSignIn />
      <TextField label="Name" field="name" maxLength={200} isRequired {...{ draft, change, errors: errors['name'] }} />
      <TextField
        label="Address"
        field="url"
        type="url"
        maxLength={2_048}
        isRequired
        hint="An https address that the internet can reach. Put no secret into it."
        {...{ draft, change, errors: errors['url'] }}
      />
      <fieldset className="webhook-events">
        <legend>Events</legend>
        {(types.data ?? []).map((type) => (
          <label key={type}>
            <input
              type="checkbox"
              checked={draft.events.has(type)}
              onChange={() => change({ events: draft.events.symmetricDifference(new Set([type])) })}
            />
            <code>{type}</code>
          </label>
        ))}
        <FieldErrors errors={errors['events'] ?? []} />
      </fieldset>
      <TextField
        label="Only tokens in these containers"
        field="containers"
        maxLength={6_000}
        hint="Paths such as /pci/high/, separated by commas. Without any, events about all tokens are sent."
        {...{ draft, change, errors: errors['containers'] }}
      />
      <TextField
        label="E-mail address to tell if it is disabled"
        field="email"
        type="email"
        maxLength={254}
        {...{ draft, change, errors: errors['notify_email'] }}
      />
      {error === null ? null : <Failure error={error} />}
    </FormDialog>
  );
}

function TextField(of: {
  readonly label: string;
  readonly field: 'name' | 'url' | 'email' | 'containers';
  readonly type?: string;
  readonly maxLength: number;
  readonly isRequired?: boolean;
  readonly hint?: string;
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
  readonly errors: readonly string[] | undefined;
}) {
  const { label, field, type = 'text', maxLength, isRequired = false, hint, draft, change, errors } = of;
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(ids) => (
        <input
          {...ids}
          type={type}
          required={isRequired}
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          value={draft[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      )}
    </Field>
  );
}

function toDraft(of: Webhook | undefined): Draft {
  return {
    name: of?.name ?? '',
    url: of?.url ?? '',
    email: of?.notify_email ?? '',
    containers: (of?.containers ?? []).join(', '),
    events: new Set(of?.events),
  };
}

function isEdited(draft: Draft, first: Draft): boolean {
  const flat = ({ events, ...texts }: Draft) => JSON.stringify([texts, [...events].toSorted()]);
  return flat(draft) !== flat(first);
}

/** Returns the settings that the form changed. Others keep what somebody else may have set meanwhile. */
function changedIn(settings: WebhookSettings, before: WebhookSettings): Partial<WebhookSettings> {
  const old = new Map<string, unknown>(Object.entries(before));
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(old.get(name));
  return Object.fromEntries(Object.entries(settings).filter(isChanged));
}

function toSettings({ name, url, email, containers, events }: Draft): WebhookSettings {
  const paths = containers.split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]));
  return {
    name,
    url,
    notify_email: email === '' ? null : email,
    containers: paths.length === 0 ? null : paths,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the vault listed these types.
    events: [...events] as WebhookSettings['events'],
  };
}
