import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { cancelErasure, downloadReceipt, type Erasure, listErasures } from '../../api/retention';
import { Button } from '../../parts/controls/button';
import { Confirmation } from '../../parts/overlay/confirmation';
import { ApprovalTag } from '../../parts/page/approval';
import { Card } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Empty, Failure } from '../../parts/page/states';
import { saveFile } from '../../parts/save-file';
import { type Column, DataTable } from '../../parts/show/data-table';
import { countOf } from '../../parts/show/number';
import { Tag, type Tone } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { ErasureForm } from './erasure-form';
import { ScopeText } from './scope-fields';

const lookAgainMs = 2_000;
const underWay: ReadonlySet<string> = new Set(['queued', 'running', 'sealing']);
const words: Readonly<Record<Erasure['status'], { readonly text: string; readonly tone: Tone }>> = {
  counted: { text: 'counted, not confirmed', tone: 'neutral' },
  awaiting_approval: { text: '', tone: 'neutral' },
  queued: { text: 'waits for a worker', tone: 'neutral' },
  running: { text: 'removing', tone: 'neutral' },
  sealing: { text: 'writing the receipt', tone: 'neutral' },
  finished: { text: 'finished', tone: 'good' },
  cancelled: { text: 'cancelled', tone: 'neutral' },
  stopped: { text: 'stopped', tone: 'bad' },
};

const columns: readonly Column<Erasure>[] = [
  { header: 'Tokens', cell: (erasure) => <ScopeText of={erasure} /> },
  { header: 'Progress', cell: (erasure) => <Progress erasure={erasure} /> },
  { header: 'State', cell: (erasure) => <State erasure={erasure} /> },
  { header: 'Asked for', cell: ({ created_at: at }) => <Time at={at} form="ago" /> },
  { header: 'Actions', isActions: true, cell: (erasure) => <Actions erasure={erasure} /> },
];

/** The erasures of the tenant with their progress and receipts, and a form for another. */
export function ErasureSection() {
  const member = useMember();
  const [isCreating, setCreating] = useState(false);
  const erasures = useQuery({
    queryKey: ['erasures', member.tenant.id],
    queryFn: listErasures,
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => underWay.has(status)) === true ? lookAgainMs : false,
  });
  return (
    <Card
      title="Erasures"
      note="Remove all tokens of a customer, a container or a type, with a signed receipt."
      actions={
        <Button kind="warns" icon={Eraser} onClick={() => setCreating(true)}>
          Erase tokens
        </Button>
      }
    >
      <QueryView query={erasures} what="erasures">
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={Eraser} title="No erasures">
              <p>Nothing was erased yet.</p>
            </Empty>
          ) : (
            <DataTable caption="Erasures" columns={columns} rows={data} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {isCreating ? <ErasureForm onClose={() => setCreating(false)} /> : null}
    </Card>
  );
}

function Progress({ erasure }: { readonly erasure: Erasure }) {
  const { tokens, removed_tokens: removed, held_tokens: held } = erasure;
  return (
    <>
      {removed.toLocaleString()} of {countOf(tokens, 'token', 'tokens')}
      {held === 0 ? '' : `, ${held.toLocaleString()} held`}
    </>
  );
}

function State({ erasure }: { readonly erasure: Erasure }) {
  const { text, tone } = words[erasure.status];
  if (text === '') return <ApprovalTag of={erasure} />;
  return (
    <>
      <Tag tone={tone}>{text}</Tag> {erasure.reason ?? ''}
    </>
  );
}

function Actions({ erasure }: { readonly erasure: Erasure }) {
  const { id, status } = erasure;
  const [isAsked, ask] = useState(false);
  const queries = useQueryClient();
  const receipt = useMutation({
    mutationFn: () => downloadReceipt(id),
    onSuccess: (content) => saveFile(content, `erasure-${id}.receipt`),
  });
  const cancel = useMutation({
    mutationFn: () => cancelErasure(id),
    onSuccess: async () => {
      ask(false);
      await queries.invalidateQueries({ queryKey: ['erasures'] });
    },
  });
  if (status === 'finished')
    return (
      <>
        <Button isSmall disabled={receipt.isPending} onClick={() => receipt.mutate()}>
          Receipt
        </Button>
        {receipt.error === null ? null : <Failure error={receipt.error} />}
      </>
    );
  if (status === 'cancelled' || status === 'stopped' || status === 'sealing') return null;
  return (
    <>
      <Button kind="warns" isSmall onClick={() => ask(true)}>
        Cancel
      </Button>
      {isAsked ? (
        <Confirmation
          title="Cancel the erasure?"
          action="Cancel it"
          refusal="Go on"
          work={cancel}
          onClose={() => ask(false)}
        >
          <p>What it has removed stays removed, and it gets no receipt.</p>
        </Confirmation>
      ) : null}
    </>
  );
}
