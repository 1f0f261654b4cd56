import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Gavel, Plus } from 'lucide-react';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { Problem } from '../../api/problem';
import { createHold, type LegalHold, liftHold, listHolds } from '../../api/retention';
import { Button } from '../../parts/controls/button';
import { Field } from '../../parts/controls/field';
import { Confirmation } from '../../parts/overlay/confirmation';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { ApprovalTag } from '../../parts/page/approval';
import { Card } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Empty, Failure } from '../../parts/page/states';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { noScope, ScopeFields, ScopeText, toMetadata, toScopeBody } from './scope-fields';

/** The legal holds of the tenant, and a form for another. */
export function HoldSection() {
  const member = useMember();
  const [isCreating, setCreating] = useState(false);
  const holds = useQuery({ queryKey: ['legal-holds', member.tenant.id], queryFn: listHolds });
  const mayChange = member.may('retention:update');
  const columns: readonly Column<LegalHold>[] = [
    { header: 'Reason', isWide: true, cell: ({ reason }) => reason },
    { header: 'Tokens', cell: (hold) => <ScopeText of={hold} /> },
    { header: 'State', cell: (hold) => <State hold={hold} /> },
    {
      header: 'Actions',
      isActions: true,
      cell: (hold) =>
        mayChange && hold.is_in_force && hold.approval?.status !== 'pending' ? <Lift hold={hold} /> : null,
    },
  ];
  return (
    <Card
      title="Legal holds"
      note="What they cover is neither deleted nor changed, by rules or by people."
      actions={
        mayChange ? (
          <Button icon={Plus} onClick={() => setCreating(true)}>
            New hold
          </Button>
        ) : undefined
      }
    >
      <QueryView query={holds} what="legal holds">
        {(data) =>
          data.length === 0 ? (
            <Empty icon={Gavel} title="No legal holds">
              <p>Set one before tokens that you must not lose are due.</p>
            </Empty>
          ) : (
            <DataTable caption="Legal holds" columns={columns} rows={data} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {isCreating ? <HoldForm onClose={() => setCreating(false)} /> : null}
    </Card>
  );
}

function State({ hold }: { readonly hold: LegalHold }) {
  const { is_in_force: isInForce, ends_at: end, lifted_at: liftedAt } = hold;
  if (liftedAt !== undefined)
    return (
      <>
        lifted <Time at={liftedAt} form="exact" />
      </>
    );
  return (
    <>
      {isInForce ? <Tag tone="good">in force</Tag> : 'ended'}{' '}
      {end === undefined ? null : (
        <>
          {isInForce ? 'until ' : ''}
          <Time at={end} form="exact" />
        </>
      )}{' '}
      <ApprovalTag of={hold} />
    </>
  );
}

function Lift({ hold }: { readonly hold: LegalHold }) {
  const [isAsked, ask] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const work = useMutation({
    mutationFn: () => liftHold(hold.id),
    onSuccess: async ({ is_in_force: isInForce }) => {
      ask(false);
      toast({ text: isInForce ? 'Lifting the hold waits for approval' : 'The hold was lifted' });
      await queries.invalidateQueries({ queryKey: ['legal-holds'] });
    },
  });
  return (
    <>
      <Button kind="warns" isSmall onClick={() => ask(true)}>
        Lift
      </Button>
      {isAsked ? (
        <Confirmation title="Lift the hold?" action="Lift it" work={work} onClose={() => ask(false)}>
          <p>Rules, erasures and requests can remove these tokens from then on. Some may be due already.</p>
        </Confirmation>
      ) : null}
    </>
  );
}

function HoldForm({ onClose }: { readonly onClose: () => void }) {
  const [scope, setScope] = useState(noScope);
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState('');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      createHold({
        reason,
        ...toScopeBody(scope),
        metadata: toMetadata(scope) ?? null,
        ...(end === '' ? {} : { ends_at: end }),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['legal-holds'] });
      onClose();
    },
  });
  const errors = save.error instanceof Problem ? save.error.fields : {};
  return (
    <FormDialog
      title="New hold"
      action="Set the hold"
      isChanged={reason !== '' || scope !== noScope || end !== ''}
      isSaving={save.isPending}
      maySave={reason !== ''}
      onSave={save.mutate}
      onClose={onClose}
    >
      <StaleSignIn />
      <Field label="Reason" hint="For people who meet the hold later." errors={errors['reason']}>
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={1_000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      <ScopeFields scope={scope} errors={errors} hasMetadata onChange={setScope} />
      <Field label="Ends on" hint="Without a day, somebody has to lift it." errors={errors['ends_at']}>
        {(ids) => <input {...ids} type="date" value={end} onChange={({ target }) => setEnd(target.value)} />}
      </Field>
      {save.error === null ? null : <Failure error={save.error} />}
    </FormDialog>
  );
}
