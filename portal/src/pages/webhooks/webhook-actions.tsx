import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMember } from '../../api/me';
import {
  changeWebhook,
  deleteWebhook,
  resendSince,
  rotateSecret,
  type Webhook,
  type WebhookWithSecret,
} from '../../api/webhooks';
import { Button } from '../../parts/controls/button';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { WebhookForm } from './webhook-form';
import { WebhookSecret } from './webhook-secret';

type Question = 'edit' | 'rotate' | 'resend' | 'switch' | 'delete';
const hourMs = 3_600_000;

/** What can be done with a webhook. Each needs a right, and all but an edit ask first. */
export function WebhookActions({ webhook }: { readonly webhook: Webhook }) {
  const member = useMember();
  const [asked, ask] = useState<Question>();
  const [made, setMade] = useState<WebhookWithSecret>();
  const onClose = () => ask(undefined);
  return (
    <>
      {member.may('webhook:update') ? (
        <>
          <Button onClick={() => ask('edit')}>Edit</Button>
          <Button onClick={() => ask('resend')}>Resend a day</Button>
          <Button onClick={() => ask('rotate')}>New secret</Button>
          <Button kind={webhook.status === 'enabled' ? 'warns' : 'usual'} onClick={() => ask('switch')}>
            {webhook.status === 'enabled' ? 'Disable' : 'Enable'}
          </Button>
        </>
      ) : null}
      {member.may('webhook:delete') ? (
        <Button kind="warns" onClick={() => ask('delete')}>
          Delete
        </Button>
      ) : null}
      {asked === 'edit' ? <WebhookForm of={webhook} onClose={onClose} /> : null}
      {asked === 'rotate' ? <Rotate webhook={webhook} onClose={onClose} onMade={setMade} /> : null}
      {asked === 'resend' ? <Resend webhook={webhook} onClose={onClose} /> : null}
      {asked === 'switch' ? <Switch webhook={webhook} onClose={onClose} /> : null}
      {asked === 'delete' ? <Delete webhook={webhook} onClose={onClose} /> : null}
      {made === undefined ? null : <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

interface Asked {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Does something with the webhook, says so, and loads it again. */
function useDeed<Result>(onClose: () => void, deed: () => Promise<Result>, done: (result: Result) => string | void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: deed,
    onSuccess: async (result) => {
      onClose();
      const text = done(result);
      if (typeof text === 'string') toast({ text });
      await queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
}

function Rotate({ webhook, onClose, onMade }: Asked & { readonly onMade: (made: WebhookWithSecret) => void }) {
  const work = useDeed(onClose, () => rotateSecret(webhook.id), onMade);
  return (
    <Confirmation title="Create a new secret?" action="Create it" refusal="Cancel" work={work} onClose={onClose}>
      <p>For 24 hours, requests are signed with both. A secret that was replaced before ends at once.</p>
    </Confirmation>
  );
}

function Resend({ webhook, onClose }: Asked) {
  const since = () => new Date(Date.now() - 24 * hourMs).toISOString();
  const work = useDeed(
    onClose,
    () => resendSince(webhook.id, since()),
    () => 'The events of the last day are sent again',
  );
  return (
    <Confirmation
      title="Send the last day again?"
      action="Send it again"
      refusal="Cancel"
      work={work}
      onClose={onClose}
    >
      <p>
        Your server gets every event of the last 24 hours again, with the <code>webhook-id</code> that it had before,
        and then goes on. <code>strongroom webhooks resend</code> and the API take any other time.
      </p>
    </Confirmation>
  );
}

function Switch({ webhook, onClose }: Asked) {
  const status = webhook.status === 'enabled' ? 'disabled' : 'enabled';
  const work = useDeed(
    onClose,
    () => changeWebhook(webhook.id, { status }),
    () => `The webhook is ${status}`,
  );
  if (status === 'enabled') {
    return (
      <Confirmation title="Enable this webhook?" action="Enable it" refusal="Cancel" work={work} onClose={onClose}>
        <p>It continues where it stopped, at most 30 days back.</p>
      </Confirmation>
    );
  }
  return (
    <Confirmation title="Disable this webhook?" action="Disable it" refusal="Cancel" work={work} onClose={onClose}>
      <p>Nothing is sent until it is enabled. It then continues where it stopped, at most 30 days back.</p>
    </Confirmation>
  );
}

function Delete({ webhook, onClose }: Asked) {
  const navigate = useNavigate();
  const work = useDeed(
    () => undefined,
    () => deleteWebhook(webhook.id),
    () => {
      void navigate({ to: '/webhooks' });
      return 'The webhook was deleted';
    },
  );
  return (
    <Confirmation
      title="Delete this webhook?"
      action="Delete the webhook"
      typedName={webhook.name}
      work={work}
      onClose={onClose}
    >
      <p>Its log of deliveries goes with it, and events that wait are not sent.</p>
    </Confirmation>
  );
}
