import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMember } from '../../api/me';
import { deliveryStatuses, getWebhook, listDeliveries, type Webhook } from '../../api/webhooks';
import { buttonClass } from '../../parts/controls/button';
import { CopiedId } from '../../parts/controls/copied-id';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Tabs } from '../../parts/page/tabs';
import { Fact, Facts } from '../../parts/show/fact';
import { DeliveryTable } from './delivery-table';
import { WebhookActions } from './webhook-actions';
import { WebhookStatus } from './webhook-status';

const route = getRouteApi('/webhooks/$webhookId');
const crumbs = [
  <Link key="webhooks" to="/webhooks">
    Webhooks
  </Link>,
];

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const webhook = useQuery({ queryKey: ['webhooks', 'one', webhookId], queryFn: () => getWebhook(webhookId) });
  return (
    <Page
      title={webhook.data?.name ?? 'Webhook'}
      crumbs={crumbs}
      docs="guides/webhooks"
      hasTimes
      actions={webhook.data === undefined ? undefined : <WebhookActions webhook={webhook.data} />}
    >
      <QueryView query={webhook} what="the webhook">
        {(found) => (
          <>
            <Settings webhook={found} />
            <Deliveries webhook={found} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, events, containers, notify_email: email, batch_size: size, bt_signature: isSigned } = webhook;
  return (
    <Card title="Settings">
      <CardBody>
        <Facts>
          <Fact name="Status">
            <WebhookStatus webhook={webhook} />
          </Fact>
          <Fact name="Address">
            <code className="webhook-server">{url}</code>
          </Fact>
          <Fact name="Id">
            <CopiedId id={id} />
          </Fact>
          <Fact name="Events">{events.join(', ')}</Fact>
          <Fact name="Only tokens in">{containers === undefined ? 'all containers' : containers.join(', ')}</Fact>
          <Fact name="Events in a request">{size === 1 ? 'one' : `up to ${size}`}</Fact>
          <Fact name="Signatures">
            {isSigned ? 'Standard Webhooks, and that of the hosted service' : 'Standard Webhooks'}
          </Fact>
          <Fact name="Told if it is disabled">{email ?? null}</Fact>
        </Facts>
      </CardBody>
    </Card>
  );
}

function Deliveries({ webhook: { id } }: { readonly webhook: Webhook }) {
  const { tenant } = useMember();
  const { status: given, start } = route.useSearch();
  const status = deliveryStatuses.find((one) => one === given);
  const deliveries = useQuery({
    queryKey: ['webhooks', 'deliveries', tenant.id, id, status, start],
    queryFn: () => listDeliveries(id, { status, start }),
  });
  const kept = status === undefined ? {} : { status };
  return (
    <>
      <Tabs
        label="Which deliveries"
        current={status ?? 'all'}
        of={[
          { name: 'all', label: 'All deliveries' },
          { name: 'waiting', label: 'Waiting' },
          { name: 'failed', label: 'Failed' },
          { name: 'delivered', label: 'Delivered' },
        ]}
        link={(name, attributes, children) => (
          <Link
            to="/webhooks/$webhookId"
            params={{ webhookId: id }}
            search={name === 'all' ? {} : { status: name }}
            activeOptions={{ exact: true }}
            {...attributes}
          >
            {children}
          </Link>
        )}
      />
      <QueryView query={deliveries} what="deliveries">
        {({ data, pagination: { next } }) => (
          <>
            <DeliveryTable webhookId={id} deliveries={data} />
            {next === undefined ? null : (
              <nav className="pager" aria-label="Pages">
                <span />
                <Link
                  to="/webhooks/$webhookId"
                  params={{ webhookId: id }}
                  search={{ ...kept, start: next }}
                  className={buttonClass({ isSmall: true })}
                >
                  Older deliveries
                </Link>
              </nav>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}
