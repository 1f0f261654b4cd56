import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Application } from '../../api/applications';
import { api, unwrap } from '../../api/client';
import { isSameRights, toRights } from '../../parts/access/rights';
import { SaveBar } from '../../parts/controls/save-bar';
import { Icon } from '../../parts/icon';
import { LeaveGuard } from '../../parts/overlay/leave-guard';
import { useToast } from '../../parts/overlay/toast';
import { Failure } from '../../parts/page/states';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { DifferencePanel } from './difference/difference-panel';
import { useDifference } from './difference/use-difference';
import { toDraft, toSettings } from './form/application-draft';
import { ApplicationFields } from './form/application-form';

const route = getRouteApi('/applications/$applicationId');

/**
 * Edits an application. What an edit of its rights changes is shown beside the form while it is being written, and it
 * cannot be saved before that is shown.
 */
export function EditApplication({ application }: { readonly application: Application }) {
  const [saved] = useState(application);
  const [draft, setDraft] = useState(() => toDraft(application));
  const navigate = route.useNavigate();
  const before = toRights(saved);
  const difference = useDifference(saved, { before, after: draft.rights });
  const save = useSave(saved);
  const isDiscarded = useRef(false);
  const hasOtherRights = !isSameRights(before, draft.rights);
  const isChanged = JSON.stringify(toSettings(draft)) !== JSON.stringify(toSettings(toDraft(saved)));
  const isUnseen = hasOtherRights && difference.seen === undefined;
  const showsPlaintext = hasOtherRights && difference.seen?.lines.some(({ showsPlaintext: shows }) => shows) === true;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isUnseen) save.mutate(toSettings(draft));
      }}
    >
      <LeaveGuard isChanged={isChanged} mayLeave={() => save.isPending || save.isSuccess || isDiscarded.current} />
      <StaleSignIn />
      {application.modified_at === saved.modified_at ? null : (
        <p className="banner plain">
          <Icon of={CircleAlert} />
          Somebody has changed this application in the meantime. What you save replaces that.
        </p>
      )}
      <div className="columns edit-columns">
        <div className="stack">
          <ApplicationFields
            draft={draft}
            onChange={setDraft}
            error={save.error ?? difference.error}
            hadGrantLimit={saved.grant_limit !== undefined}
          />
        </div>
        <DifferencePanel difference={difference} hasOtherRights={hasOtherRights} />
      </div>
      {save.error === null ? null : <Failure error={save.error} />}
      <SaveBar
        action={showsPlaintext ? 'Save and show plaintext' : 'Save'}
        kind={showsPlaintext ? 'plain' : 'main'}
        isBusy={save.isPending || isUnseen}
        onDiscard={() => {
          isDiscarded.current = true;
          void navigate({ search: {} });
        }}
      >
        {isChanged ? (
          <>
            <strong>Edited</strong> and not saved{isUnseen ? '. Looking at what this changes …' : '.'}
          </>
        ) : (
          'Nothing is edited yet.'
        )}
      </SaveBar>
    </form>
  );
}

function useSave(application: Application) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const toast = useToast();
  const { id, name } = application;
  const put = async (body: ReturnType<typeof toSettings>) => {
    const saved = await unwrap(api.PUT('/applications/{id}', { params: { path: { id } }, body }));
    queries.setQueryData(['application', id], saved);
    await queries.invalidateQueries({ queryKey: ['applications'] });
    return saved;
  };
  const undo = useMutation({
    mutationFn: () => put(toSettings(toDraft(application))),
    onSuccess: () => toast({ text: `${name} is as it was before` }),
    onError: (error) => toast({ text: `${name} could not be changed back: ${error.message}`, tone: 'bad' }),
  });
  return useMutation({
    mutationFn: put,
    onSuccess: async () => {
      toast({ text: `${name} saved`, action: { label: 'Undo', onPress: () => undo.mutate() } });
      await navigate({ search: {} });
    },
  });
}
