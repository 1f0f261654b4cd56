import type { Application } from '../../api/applications';
import type { Problem } from '../../api/problem';
import { Field } from '../../parts/controls/field';
import type { RouteDraft } from './route-draft';

/** The settings of a route other than its transforms. */
export function RouteFields(fields: {
  readonly draft: RouteDraft;
  /** The applications whose rights a route can have. */
  readonly lenders: readonly Application[];
  readonly errors: Problem['fields'];
  readonly onChange: (draft: RouteDraft) => void;
}) {
  const { draft, lenders, errors, onChange } = fields;
  const text = (
    name: 'name' | 'destinationUrl' | 'sources' | 'proofHeader' | 'secretName',
    of: { readonly label: string; readonly hint?: string; readonly field: string; readonly placeholder?: string },
  ) => (
    <Field label={of.label} {...(of.hint === undefined ? {} : { hint: of.hint })} errors={errors[of.field]}>
      {(ids) => (
        <input
          {...ids}
          value={draft[name]}
          placeholder={of.placeholder}
          onChange={({ target }) => onChange({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {text('name', { label: 'Name', field: 'name', placeholder: 'Orders of a partner' })}
      {text('destinationUrl', {
        label: 'Destination',
        field: 'destination_url',
        placeholder: 'https://orders.example.com/cards',
        hint: 'The path and the query of a call are added to it.',
      })}
      <label className="check">
        <input
          type="checkbox"
          checked={draft.isKeyless}
          onChange={({ target }) => onChange({ ...draft, isKeyless: target.checked })}
        />{' '}
        Callers need no API key, only the key of the route
      </label>
      <Field
        label="Rights"
        hint="A route without an API key needs an application. Give that one only what the route needs, such as token:create."
        errors={errors['application']}
      >
        {(ids) => (
          <select
            {...ids}
            value={draft.applicationId}
            onChange={({ target }) => onChange({ ...draft, applicationId: target.value })}
          >
            <option value="">{draft.isKeyless ? 'Choose an application' : 'Those of the caller'}</option>
            {lenders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {text('sources', {
        label: 'Addresses that may call',
        field: 'allowed_sources.0',
        placeholder: '203.0.113.0/24',
        hint: 'Networks or addresses. Any, if this is empty.',
      })}
      {text('secretName', {
        label: 'Name of a secret',
        field: 'configuration',
        placeholder: 'API_KEY',
        hint: 'Transforms of requests use it as {{ configuration.API_KEY }}.',
      })}
      {draft.secretName === '' ? null : (
        <Field label="Secret" hint="It is encrypted, and never shown again." errors={errors['caller_check.secret']}>
          {(ids) => (
            <input
              {...ids}
              type="password"
              // Browsers ignore "off" here, and would fill in the password with which the member signs in.
              autoComplete="new-password"
              value={draft.secret}
              onChange={({ target }) => onChange({ ...draft, secret: target.value })}
            />
          )}
        </Field>
      )}
      {text('proofHeader', {
        label: 'Header with a signature',
        field: 'caller_check.header',
        placeholder: 'X-Signature',
        hint: 'Callers must send an HMAC-SHA-256 of the body with the secret, in hex. Empty for no check.',
      })}
    </>
  );
}
