import type { Webhook } from '../../api/webhooks';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';

/** Why a webhook gets nothing, as people say it. */
const reasons: Readonly<Record<NonNullable<Webhook['disabled_reason']>, string>> = {
  request: 'somebody disabled it',
  failing: 'it failed for five days',
  gone: 'its server responded with 410',
  owner: 'its creator may no longer receive events',
};

/** Says whether events arrive. */
export function WebhookStatus({ webhook }: { readonly webhook: Webhook }) {
  const { status, disabled_reason: reason, failing_since: since } = webhook;
  if (status === 'disabled') {
    return (
      <span className="line">
        <Tag tone="bad">disabled</Tag> {reason === undefined ? null : <span className="muted">{reasons[reason]}</span>}
      </span>
    );
  }
  if (since === undefined) return <Tag tone="good">enabled</Tag>;
  return (
    <span className="line">
      <Tag tone="bad">failing</Tag>{' '}
      <span className="muted">
        since <Time at={since} form="ago" />
      </span>
    </span>
  );
}
