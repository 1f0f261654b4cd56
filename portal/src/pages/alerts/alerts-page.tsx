import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { applicationsQuery } from '../../api/applications';
import { api, fetchPortal, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { Button } from '../../parts/controls/button';
import { shortenId } from '../../parts/controls/copied-id';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Empty, Failure } from '../../parts/page/states';
import { ActorText } from '../../parts/show/actor-name';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { type Alert, type Reason, reasons, sayAlert, sayReason, toAlerts } from './alert';
import { Thresholds } from './thresholds';

const alertsShown = 100;

/** Shows what the vault has raised an alert about, and lets owners and admins say what they found out. */
export function AlertsPage() {
  const { tenant } = useMember();
  const alerts = useQuery({
    queryKey: ['alerts', tenant.id],
    queryFn: async () => {
      const [raised, acknowledged] = await Promise.all(['alert', 'acknowledge'].map(loadRecords));
      return toAlerts(raised?.data ?? [], acknowledged?.data ?? []);
    },
  });
  return (
    <Page
      title="Alerts"
      lead="The vault watches each key and each member for guessing, for many reveals, and for new addresses of keys."
      docs="operate/audit-log"
      hasTimes
    >
      <QueryView query={alerts} what="alerts">
        {(list) => (
          <>
            {list.length === 0 ? (
              <div className="card">
                <Empty icon={BellOff} title="No alerts">
                  <p>
                    If something happens, it is shown here, and a <Link to="/audit">record</Link> of the log says so.
                    Webhooks can send it elsewhere.
                  </p>
                </Empty>
              </div>
            ) : (
              list.map((alert) => <AlertCard key={alert.record.id} alert={alert} />)
            )}
            <p className="note">The newest {alertsShown} alerts are shown.</p>
            <Thresholds />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function loadRecords(operation: string) {
  return unwrap(api.GET('/logs', { params: { query: { operation, outcome: 'success', size: alertsShown } } }));
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const member = useMember();
  const [isAsking, setAsking] = useState(false);
  const { record, acknowledged, subject, isOfMember, from, to } = alert;
  const of = isOfMember ? { actor_id: subject } : { key_id: subject };
  const [latest] = acknowledged;
  return (
    <Card
      title={<Time at={record.created_at} form="exact" />}
      note={latest === undefined ? <Tag tone="bad">open</Tag> : <Tag>{sayReason(latest)}</Tag>}
      actions={
        member.may('tenant:update') ? (
          <Button isSmall onClick={() => setAsking(true)}>
            {latest === undefined ? 'Acknowledge' : 'Add what was found out'}
          </Button>
        ) : undefined
      }
    >
      <CardBody>
        <p className="said">
          <b>
            <Subject alert={alert} />
          </b>{' '}
          {sayAlert(alert)}
        </p>
        <p className="line">
          <Link to="/audit" search={{ ...of, from, to, views: 'shown' }}>
            What happened then
          </Link>
          <Link to="/audit" search={{ ...of, range: '90d', views: 'shown' }}>
            Everything since
          </Link>
          <Link to="/audit" search={{ record: record.id, record_at: record.created_at }}>
            The record of the alert
          </Link>
        </p>
        {acknowledged.map((one) => (
          <p key={one.id} className="note">
            <Time at={one.created_at} form="ago" />: <ActorText id={one.actor_id} type={one.actor_type} />.{' '}
            {sayReason(one)}.
          </p>
        ))}
      </CardBody>
      {isAsking ? <Acknowledge alert={alert} onClose={() => setAsking(false)} /> : null}
    </Card>
  );
}

/** Names the application of the key, with a link, or the member. */
function Subject({ alert: { subject, isOfMember } }: { readonly alert: Alert }) {
  const { data: applications = [] } = useQuery({ ...applicationsQuery, staleTime: 60_000 });
  if (isOfMember) return <ActorText id={subject} type="user" />;
  const application = applications.find(({ keys }) => keys.some(({ id }) => id === subject));
  if (application === undefined) return <>A key that no longer exists ({shortenId(subject)})</>;
  return (
    <>
      A key of{' '}
      <Link to="/applications/$applicationId" params={{ applicationId: application.id }} search={{ tab: 'keys' }}>
        {application.name}
      </Link>
    </>
  );
}

function Acknowledge({ alert: { record }, onClose }: { readonly alert: Alert; readonly onClose: () => void }) {
  const [reason, setReason] = useState<Reason>('investigating');
  const queries = useQueryClient();
  const toast = useToast();
  const acknowledge = useMutation({
    mutationFn: () => fetchPortal(`/alerts/${record.id}/acknowledge`, 'POST', { raised_at: record.created_at, reason }),
    onSuccess: async () => {
      toast({ text: 'The alert is acknowledged, and the log says so' });
      await queries.invalidateQueries({ queryKey: ['alerts'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title="What did you find out?"
      action="Acknowledge"
      isChanged={reason !== 'investigating'}
      isSaving={acknowledge.isPending}
      onSave={acknowledge.mutate}
      onClose={onClose}
    >
      <StaleSignIn />
      <fieldset className="choices">
        <legend className="unseen">Note</legend>
        {Object.entries(reasons).map(([name, label]) => (
          <label key={name} className="choice">
            <input
              type="radio"
              name="reason"
              checked={name === reason}
              onChange={() => setReason(name === 'expected' || name === 'handled' ? name : 'investigating')}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p className="note">This becomes a record of the log, which nobody can change. You can add to it later.</p>
      {acknowledge.error === null ? null : <Failure error={acknowledge.error} />}
    </FormDialog>
  );
}
