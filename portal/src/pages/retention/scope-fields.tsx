import { Field } from '../../parts/controls/field';

/** Which tokens something is about, as it is typed. */
export interface Scope {
  readonly container: string;
  readonly type: string;
  readonly metadata: string;
}

export const noScope: Scope = { container: '', type: '', metadata: '' };

interface Errors {
  readonly [field: string]: readonly string[] | undefined;
}

/** Returns the members of a request, without those that are empty. */
export function toScopeBody({ container, type }: Scope) {
  return { ...(container === '' ? {} : { container }), ...(type === '' ? {} : { type }) };
}

/** Returns the pair of metadata, or undefined if there is none. */
export function toMetadata({ metadata }: Scope): Record<string, string> | undefined {
  const [key = '', ...value] = metadata.split('=');
  return key.trim() === '' ? undefined : { [key.trim()]: value.join('=').trim() };
}

/** Asks for container and type, and for a pair of metadata if `hasMetadata`. */
export function ScopeFields(fields: {
  readonly scope: Scope;
  readonly errors: Errors;
  readonly hasMetadata: boolean;
  readonly onChange: (scope: Scope) => void;
}) {
  const { scope, errors, hasMetadata, onChange } = fields;
  const text = (field: keyof Scope, label: string, hint: string, example: string) => (
    <Field label={label} hint={hint} errors={errors[field]}>
      {(ids) => (
        <input
          {...ids}
          value={scope[field]}
          placeholder={example}
          maxLength={700}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ ...scope, [field]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {text('container', 'Container', 'With everything in it. Empty for every container.', '/pci/')}
      {text('type', 'Type', 'Empty for every type.', 'card')}
      {hasMetadata ? text('metadata', 'Metadata', 'One pair, with an equals sign.', 'customer_id=c-1042') : null}
    </>
  );
}

/** Says which tokens something is about. */
export function ScopeText({
  of,
}: {
  readonly of: { container?: string; type?: string; metadata?: Record<string, string>; token_id?: string };
}) {
  const parts = [
    of.type === undefined ? 'all tokens' : `${of.type} tokens`,
    ...(of.token_id === undefined ? [] : [`with the id ${of.token_id}`]),
    ...Object.entries(of.metadata ?? {}).map(([key, value]) => `with ${key} ${shorten(value)}`),
    ...(of.container === undefined ? [] : [`in ${of.container}`]),
  ];
  return <span className="solid">{parts.join(' ')}</span>;
}

/** Digests take the place of values when an erasure is over. */
function shorten(value: string): string {
  return value.startsWith('sha256:') ? `${value.slice(0, 15)}…` : value;
}
