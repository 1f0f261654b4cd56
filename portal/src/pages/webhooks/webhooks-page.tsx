import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Webhook as WebhookShape } from 'lucide-react';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { listWebhooks, type Webhook, webhooksShown, type WebhookWithSecret } from '../../api/webhooks';
import { Button } from '../../parts/controls/button';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { type Column, TableCard } from '../../parts/show/data-table';
import { countOf } from '../../parts/show/number';
import { Time } from '../../parts/show/time';
import { WebhookForm } from './webhook-form';
import { WebhookSecret } from './webhook-secret';
import { WebhookStatus } from './webhook-status';

const columns: readonly Column<Webhook>[] = [
  {
    header: 'Webhook',
    cell: ({ id, name }) => (
      <Link to="/webhooks/$webhookId" params={{ webhookId: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Server', cell: ({ url }) => <code className="webhook-server">{new URL(url).host}</code> },
  { header: 'Gets', cell: ({ events }) => <Gets events={events} /> },
  { header: 'Status', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  { header: 'Created', cell: ({ created_at: at }) => <Time at={at} form="ago" /> },
];

function Gets({ events }: { readonly events: Webhook['events'] }) {
  return <span className="solid">{countOf(events.length, 'type of event', 'types of events')}</span>;
}

/** Lists the addresses to which the vault sends events. */
export function WebhooksPage() {
  const member = useMember();
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret>();
  const webhooks = useQuery({ queryKey: ['webhooks', member.tenant.id], queryFn: listWebhooks });
  const button = member.may('webhook:create') ? (
    <Button kind="main" icon={Plus} onClick={() => setCreating(true)}>
      New webhook
    </Button>
  ) : undefined;
  return (
    <Page
      title="Webhooks"
      lead="Addresses of yours to which the vault sends events, such as alerts. No event contains a value."
      docs="guides/webhooks"
      hasTimes
      actions={button}
    >
      <QueryView query={webhooks} what="webhooks">
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              <div className="card">
                <Empty icon={WebhookShape} title="No webhooks">
                  <p>
                    Receive <code>audit.alert</code> to learn of an incident within seconds.
                  </p>
                </Empty>
              </div>
            ) : (
              <TableCard caption="Webhooks" columns={columns} rows={data} keyOf={({ id }) => id} />
            )}
            {pagination.next === undefined ? null : <p className="note">The newest {webhooksShown} are shown.</p>}
          </>
        )}
      </QueryView>
      {isCreating ? <WebhookForm onClose={() => setCreating(false)} onCreated={setMade} /> : null}
      {made === undefined ? null : <WebhookSecret made={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}
