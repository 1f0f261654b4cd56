import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useMember } from '../../api/me';
import { type Delivery, resendDelivery } from '../../api/webhooks';
import { Button } from '../../parts/controls/button';
import { useToast } from '../../parts/overlay/toast';
import { Empty, Failure } from '../../parts/page/states';
import { type Column, TableCard } from '../../parts/show/data-table';
import { countOf, formatNumber } from '../../parts/show/number';
import { Tag, type Tone } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';

const tones: Readonly<Record<Delivery['status'], Tone>> = { delivered: 'good', waiting: 'neutral', failed: 'bad' };

const columns: readonly Column<Delivery>[] = [
  { header: 'Events', cell: EventsOf },
  { header: 'Status', cell: ({ status }) => <Tag tone={tones[status]}>{status}</Tag> },
  { header: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { header: 'Last sent', cell: ({ last_attempt_at: at }) => <Time at={at} form="ago" /> },
  { header: 'Sent again', cell: ({ next_attempt_at: at }) => (at === undefined ? '' : <Time at={at} />) },
  { header: 'Response', cell: ResponseOf },
];

/** Lists what was sent in the last 30 days, and sends it again. */
export function DeliveryTable(of: { readonly webhookId: string; readonly deliveries: readonly Delivery[] }) {
  const { webhookId, deliveries } = of;
  const mayResend = useMember().may('webhook:update');
  const queries = useQueryClient();
  const toast = useToast();
  const resend = useMutation({
    mutationFn: (deliveryId: string) => resendDelivery(webhookId, deliveryId),
    onSuccess: async () => {
      toast({ text: 'It will be sent again' });
      await queries.invalidateQueries({ queryKey: ['webhooks', 'deliveries'] });
    },
  });
  const actions: Column<Delivery> = {
    header: 'Actions',
    isActions: true,
    cell: ({ id }) => (
      <Button isSmall disabled={resend.isPending} onClick={() => resend.mutate(id)}>
        Resend<span className="unseen"> delivery {id}</span>
      </Button>
    ),
  };
  if (deliveries.length === 0) {
    return (
      <div className="card">
        <Empty icon={Send} title="No deliveries">
          <p>What was sent in the last 30 days is shown here.</p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      {resend.error === null ? null : <Failure error={resend.error} />}
      <TableCard
        caption="Deliveries"
        columns={mayResend ? [...columns, actions] : columns}
        rows={deliveries}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function EventsOf({ event_types: types, event_ids: ids, entity_id: entity }: Delivery) {
  const [type = ''] = types;
  const more = ids.length - 1;
  return (
    <span className="solid main-cell">
      {entity === undefined ? (
        type
      ) : (
        <Link to="/audit" search={{ entity_id: entity, range: '30d', views: 'shown' }}>
          {type}
        </Link>
      )}
      {more <= 0 ? null : <span className="muted">and {countOf(more, 'more event', 'more events')}</span>}
    </span>
  );
}

function ResponseOf({ response_status: status, error, response, duration_ms: ms }: Delivery) {
  return (
    <details className="webhook-response">
      <summary>
        {status ?? error ?? 'none'}
        {ms === undefined ? null : <span className="muted"> in {formatNumber(ms)} ms</span>}
      </summary>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A block that scrolls has to be reachable by keyboard. */}
      <pre tabIndex={0}>{response === undefined || response === '' ? 'The response was empty.' : response}</pre>
    </details>
  );
}
