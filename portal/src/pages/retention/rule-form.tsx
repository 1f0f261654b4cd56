import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/problem';
import { createRule, previewRule, type RuleWish } from '../../api/retention';
import { Field } from '../../parts/controls/field';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Failure } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { Time } from '../../parts/show/time';
import { noScope, ScopeFields, toScopeBody } from './scope-fields';

const periods = [
  {
    field: 'keep_for_days',
    label: 'Keep for',
    hint: 'Days after a token was created, if it has no expiry of its own.',
  },
  {
    field: 'keep_until_unused_for_days',
    label: 'Keep until unused for',
    hint: 'Days after a token was last read, used or changed.',
  },
  {
    field: 'never_longer_than_days',
    label: 'Never longer than',
    hint: 'Days after a token was created, whatever its expiry.',
  },
] as const;
type Days = Readonly<Partial<Record<(typeof periods)[number]['field'], string>>>;

/** Creates a rule in two steps: what it would remove is counted first, and then confirmed. */
export function RuleForm({ onClose }: { readonly onClose: () => void }) {
  const [scope, setScope] = useState(noScope);
  const [days, setDays] = useState<Days>({});
  const queries = useQueryClient();
  const toast = useToast();
  const preview = useMutation({ mutationFn: previewRule });
  const counted = preview.data;
  const save = useMutation({
    mutationFn: () => createRule(toWish(scope, days), counted?.tokens ?? 0),
    onSuccess: async ({ effective_at: at }) => {
      toast({ text: at === undefined ? 'The rule waits for approval' : 'The rule takes effect in a day' });
      await queries.invalidateQueries({ queryKey: ['retention-rules'] });
      onClose();
    },
  });
  const error = save.error ?? preview.error;
  const errors = error instanceof Problem ? error.fields : {};
  const change = (work: () => void) => {
    preview.reset();
    save.reset();
    work();
  };
  return (
    <FormDialog
      title="New rule"
      action={counted === undefined ? 'Count the tokens' : 'Create the rule'}
      isChanged={scope !== noScope || Object.keys(days).length > 0}
      isSaving={preview.isPending || save.isPending}
      onSave={() => (counted === undefined ? preview.mutate(toWish(scope, days)) : save.mutate())}
      onClose={onClose}
    >
      <StaleSignIn />
      <ScopeFields
        scope={scope}
        errors={errors}
        hasMetadata={false}
        onChange={(changed) => change(() => setScope(changed))}
      />
      {periods.map(({ field, label, hint }) => (
        <Field key={field} label={label} hint={hint} errors={errors[field]}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              min={1}
              max={36_500}
              value={days[field] ?? ''}
              onChange={({ target }) => change(() => setDays({ ...days, [field]: target.value }))}
            />
          )}
        </Field>
      ))}
      {counted === undefined ? null : (
        <p role="status" className="banner">
          <span>
            {counted.is_exact ? '' : 'At most '}
            <strong>{countOf(counted.tokens, 'token', 'tokens')}</strong> would be removed when the rule takes effect,
            in 24 hours.{' '}
            {counted.held_tokens === 0
              ? null
              : `${countOf(counted.held_tokens, 'more token is', 'more tokens are')} due, but kept by a legal hold until it is over. `}
            {counted.due_since === undefined ? null : (
              <>
                The first has been due since <Time at={counted.due_since} form="day" />.
              </>
            )}
          </span>
        </p>
      )}
      {error === null ? null : <Failure error={error} />}
    </FormDialog>
  );
}

function toWish(scope: typeof noScope, days: Days): RuleWish {
  const given = Object.entries(days).filter(([, text]) => text !== '');
  return { ...toScopeBody(scope), ...Object.fromEntries(given.map(([field, text]) => [field, Number(text)])) };
}
