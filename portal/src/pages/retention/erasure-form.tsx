import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../api/problem';
import { confirmErasure, createErasure } from '../../api/retention';
import { Button } from '../../parts/controls/button';
import { Dialog, DialogFoot } from '../../parts/overlay/dialog';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Failure } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { noScope, ScopeFields, toMetadata, toScopeBody } from './scope-fields';

/** Erases tokens in two steps: they are counted first, and then the number is confirmed. */
export function ErasureForm({ onClose }: { readonly onClose: () => void }) {
  const [scope, setScope] = useState(noScope);
  const queries = useQueryClient();
  const toast = useToast();
  const count = useMutation({
    mutationFn: () => createErasure({ ...toScopeBody(scope), metadata: toMetadata(scope) ?? null }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['erasures'] }),
  });
  const counted = count.data;
  const confirm = useMutation({
    mutationFn: () => confirmErasure(counted?.id ?? '', counted?.tokens ?? 0),
    onSuccess: async ({ status }) => {
      toast({
        text: status === 'awaiting_approval' ? 'The erasure waits for approval' : 'A worker removes the tokens',
      });
      await queries.invalidateQueries({ queryKey: ['erasures'] });
      onClose();
    },
  });
  const errors = count.error instanceof Problem ? count.error.fields : {};
  if (counted === undefined)
    return (
      <FormDialog
        title="Erase tokens"
        action="Count the tokens"
        isChanged={scope !== noScope}
        isSaving={count.isPending}
        maySave={scope !== noScope}
        onSave={count.mutate}
        onClose={onClose}
      >
        <StaleSignIn />
        <ScopeFields scope={scope} errors={errors} hasMetadata onChange={setScope} />
        {count.error === null ? null : <Failure error={count.error} />}
      </FormDialog>
    );
  const { tokens, held_tokens: held, is_limited: isLimited } = counted;
  return (
    <Dialog title={`Erase ${countOf(tokens, 'token', 'tokens')}?`} onClose={onClose}>
      <p>
        <strong>{countOf(tokens, 'token', 'tokens')}</strong> would be removed for good, each with a record in the audit
        log. Backups keep them until they are discarded.
      </p>
      {held === 0 ? null : <p>A legal hold keeps {countOf(held, 'more token', 'more tokens')}.</p>}
      {isLimited ? <p>There may be others that you cannot delete.</p> : null}
      {confirm.error === null ? null : <Failure error={confirm.error} />}
      <DialogFoot>
        <Button onClick={onClose}>Keep them</Button>
        <Button kind="bad" disabled={confirm.isPending} onClick={() => confirm.mutate()}>
          Erase {countOf(tokens, 'token', 'tokens')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
