import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Timer } from 'lucide-react';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { deleteRule, listRules, type RetentionRule } from '../../api/retention';
import { Button } from '../../parts/controls/button';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { ApprovalTag } from '../../parts/page/approval';
import { Card } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { type Column, DataTable } from '../../parts/show/data-table';
import { countOf } from '../../parts/show/number';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { RuleForm } from './rule-form';
import { ScopeText } from './scope-fields';

/** The rules of the tenant, and a form for another. */
export function RuleSection() {
  const member = useMember();
  const [isCreating, setCreating] = useState(false);
  const rules = useQuery({ queryKey: ['retention-rules', member.tenant.id], queryFn: listRules });
  const mayChange = member.may('retention:update');
  const columns: readonly Column<RetentionRule>[] = [
    { header: 'Tokens', cell: (rule) => <ScopeText of={rule} /> },
    { header: 'Kept', cell: (rule) => <Periods rule={rule} /> },
    { header: 'In force', cell: (rule) => <InForce rule={rule} /> },
    { header: 'Actions', isActions: true, cell: (rule) => (mayChange ? <DeleteRule rule={rule} /> : null) },
  ];
  return (
    <Card
      title="Rules"
      note="How long tokens are kept. A rule takes effect a day after it was created."
      actions={
        mayChange ? (
          <Button icon={Plus} onClick={() => setCreating(true)}>
            New rule
          </Button>
        ) : undefined
      }
    >
      <QueryView query={rules} what="retention rules">
        {(data) =>
          data.length === 0 ? (
            <Empty icon={Timer} title="No rules">
              <p>Tokens are kept until somebody deletes them, or until they expire.</p>
            </Empty>
          ) : (
            <DataTable caption="Retention rules" columns={columns} rows={data} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {isCreating ? <RuleForm onClose={() => setCreating(false)} /> : null}
    </Card>
  );
}

function Periods({ rule }: { readonly rule: RetentionRule }) {
  const days = (count: number) => countOf(count, 'day', 'days');
  const parts = [
    ...(rule.keep_for_days === undefined ? [] : [`for ${days(rule.keep_for_days)}`]),
    ...(rule.keep_until_unused_for_days === undefined
      ? []
      : [`until unused for ${days(rule.keep_until_unused_for_days)}`]),
    ...(rule.never_longer_than_days === undefined ? [] : [`never longer than ${days(rule.never_longer_than_days)}`]),
  ];
  return <>{parts.join(', ')}</>;
}

function InForce({ rule }: { readonly rule: RetentionRule }) {
  const { effective_at: at } = rule;
  if (at === undefined) return <ApprovalTag of={rule} />;
  return new Date(at) <= new Date() ? (
    <Tag tone="good">in force</Tag>
  ) : (
    <>
      from <Time at={at} form="exact" />
    </>
  );
}

function DeleteRule({ rule }: { readonly rule: RetentionRule }) {
  const [isAsked, ask] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const work = useMutation({
    mutationFn: () => deleteRule(rule.id),
    onSuccess: async () => {
      ask(false);
      toast({ text: 'The rule was deleted' });
      await queries.invalidateQueries({ queryKey: ['retention-rules'] });
    },
  });
  return (
    <>
      <Button kind="warns" isSmall onClick={() => ask(true)}>
        Delete
      </Button>
      {isAsked ? (
        <Confirmation title="Delete the rule?" action="Delete it" work={work} onClose={() => ask(false)}>
          <p>It removes nothing from then on. Tokens that it has removed stay removed.</p>
        </Confirmation>
      ) : null}
    </>
  );
}
