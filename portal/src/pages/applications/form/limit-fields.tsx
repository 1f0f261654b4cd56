import { useQuery } from '@tanstack/react-query';
import { permissionsQuery } from '../../../api/applications';
import { PermissionBoxes } from '../../../parts/access/permission-boxes';
import { TransformChoice } from '../../../parts/access/transform-choice';
import { Field, FieldErrors } from '../../../parts/controls/field';
import { QueryView } from '../../../parts/page/query-view';
import { type DraftEditor, firstGrantLimit, type GrantLimitDraft } from './application-draft';
import { errorsAt } from './field-errors';

export function ExpiryField({ draft, onChange, error }: DraftEditor) {
  return (
    <Field
      label="Expires"
      hint="From then on, its keys are refused. Empty: never."
      errors={errorsAt(error, 'expires_at')}
    >
      {(ids) => (
        <input
          {...ids}
          type="datetime-local"
          className="narrow"
          value={draft.expiresAt}
          onChange={({ target }) => onChange({ ...draft, expiresAt: target.value })}
        />
      )}
    </Field>
  );
}

/** Shows the maximum rights that a management application can grant. A saved limit can be changed, but not removed. */
export function GrantLimitFields({
  draft,
  onChange,
  error,
  hadGrantLimit = false,
}: DraftEditor & { readonly hadGrantLimit?: boolean }) {
  const { grantLimit } = draft;
  return (
    <fieldset className="stack">
      <legend>What it can grant to others</legend>
      <p className="note">
        An application that creates or changes applications can grant anything, including reading plaintext, unless it
        has a grant limit.
      </p>
      <label className="choice">
        <input
          type="checkbox"
          checked={grantLimit !== undefined}
          disabled={hadGrantLimit}
          onChange={({ target }) => onChange({ ...draft, grantLimit: target.checked ? firstGrantLimit : undefined })}
        />
        Limit it{hadGrantLimit ? ' (a limit cannot be removed)' : ''}
      </label>
      {grantLimit === undefined ? null : (
        <LimitFields limit={grantLimit} error={error} onChange={(limit) => onChange({ ...draft, grantLimit: limit })} />
      )}
    </fieldset>
  );
}

function LimitFields(fields: {
  readonly limit: GrantLimitDraft;
  readonly error: Error | null;
  readonly onChange: (limit: GrantLimitDraft) => void;
}) {
  const { limit, error, onChange } = fields;
  const permissions = useQuery(permissionsQuery());
  return (
    <>
      <QueryView query={permissions} what="permissions">
        {(offered) => (
          <PermissionBoxes
            legend="Permissions that it can grant"
            isShort
            offered={offered}
            chosen={limit.permissions}
            errors={errorsAt(error, 'grant_limit.permissions')}
            onChange={(chosen) => onChange({ ...limit, permissions: chosen })}
          />
        )}
      </QueryView>
      <Field label="On these containers, one per line" errors={errorsAt(error, 'grant_limit.containers')}>
        {(ids) => (
          <textarea
            {...ids}
            className="mono"
            rows={3}
            spellCheck={false}
            value={limit.containers}
            onChange={({ target }) => onChange({ ...limit, containers: target.value })}
          />
        )}
      </Field>
      <div className="field">
        <span className="label">Showing at most</span>
        <div>
          <TransformChoice
            label="Showing at most"
            value={limit.transform}
            onChange={(transform) => onChange({ ...limit, transform })}
          />
        </div>
        <FieldErrors errors={errorsAt(error, 'grant_limit.transform')} />
      </div>
    </>
  );
}
