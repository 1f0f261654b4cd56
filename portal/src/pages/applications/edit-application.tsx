import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Application } from '../../api/applications';
import { api, unwrap } from '../../api/client';
import { isSameRights, type Rights, toRights } from '../../parts/access/rights';
import { Section } from '../../parts/page';
import { Failure } from '../../parts/states';
import { toDraft, toSettings } from './form/application-draft';
import { ApplicationFields } from './form/application-form';
import { type Difference, findDifference } from './difference/difference';
import { ComparedTokens, RightsDifference } from './difference/rights-difference';
import { StaleSignIn } from '../../parts/stale-sign-in';

const route = getRouteApi('/applications/$applicationId');

/** The effect of an edit as reported by the vault, for the containers that rules name and for these tokens. */
interface Looked {
  readonly after: Rights;
  readonly tokens: readonly string[];
  readonly difference: Difference;
}

/**
 * Edits an application. Changed rights can only be saved after their effects have been shown, so the save button is
 * below the effects.
 */
export function EditApplication({ application }: { readonly application: Application }) {
  const [draft, setDraft] = useState(() => toDraft(application));
  const [startedFrom] = useState(application.modified_at);
  const before = toRights(application);
  const [looked, setLooked] = useState<Looked>();
  const look = useMutation({
    mutationFn: async (asked: Pick<Looked, 'after' | 'tokens'>): Promise<Looked> => ({
      ...asked,
      difference: await findDifference(application, { before, ...asked }),
    }),
    onSuccess: setLooked,
  });
  const save = useSave(application);
  const hasOtherRights = !isSameRights(before, draft.rights);
  const seen = looked !== undefined && isSameRights(looked.after, draft.rights) ? looked : undefined;
  const isUnseen = hasOtherRights && seen === undefined;
  const error = save.error ?? look.error;
  return (
    <>
      <StaleSignIn />
      {application.modified_at === startedFrom ? null : (
        <p className="alert">Somebody has changed this application in the meantime. What you save replaces that.</p>
      )}
      <form
        className="application-form"
        id="application"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnseen) return save.mutate(toSettings(draft));
          save.reset();
          look.mutate({ after: draft.rights, tokens: looked?.tokens ?? [] });
        }}
      >
        <ApplicationFields
          draft={draft}
          onChange={setDraft}
          error={error}
          hadGrantLimit={application.grant_limit !== undefined}
        />
        {isUnseen ? (
          <div className="actions">
            <button type="submit" className="primary" disabled={look.isPending}>
              Show what this changes
            </button>
            <Cancel id={application.id} />
          </div>
        ) : null}
      </form>
      {seen === undefined ? null : (
        <Section title="What this changes" note="As the vault decides now, and as it would decide with your edit.">
          <RightsDifference difference={seen.difference} />
          <ComparedTokens tokens={seen.tokens} onChange={(tokens) => look.mutate({ after: draft.rights, tokens })} />
        </Section>
      )}
      {error === null ? null : <Failure error={error} />}
      {isUnseen ? null : (
        <div className="actions">
          <button type="submit" form="application" className="primary" disabled={save.isPending || look.isPending}>
            Save
          </button>
          <Cancel id={application.id} />
        </div>
      )}
    </>
  );
}

function useSave(application: Application) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const { id } = application;
  return useMutation({
    mutationFn: (body: ReturnType<typeof toSettings>) =>
      unwrap(api.PUT('/applications/{id}', { params: { path: { id } }, body })),
    onSuccess: async (saved) => {
      queries.setQueryData(['application', id], saved);
      await queries.invalidateQueries({ queryKey: ['applications'] });
      await navigate({ search: {} });
    },
  });
}

function Cancel({ id }: { readonly id: string }) {
  return (
    <Link to="/applications/$applicationId" params={{ applicationId: id }} className="button">
      Cancel
    </Link>
  );
}
