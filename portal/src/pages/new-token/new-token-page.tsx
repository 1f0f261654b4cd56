import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CreditCard } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { useMember } from '../../api/me';
import { Button } from '../../parts/controls/button';
import { Field } from '../../parts/controls/field';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { Empty, Failure } from '../../parts/page/states';
import { CardForm } from './card-form';
import { refuseKey } from './key-owner';

/** Creates a token with the card fields of this vault. The page never sees what is typed into them. */
export function NewTokenPage() {
  const { elements_url: elementsUrl } = useMember();
  const [key, setKey] = useState<string>();
  return (
    <Page
      title="New token"
      lead="Store a card without anybody seeing it: it goes from the fields to the vault, past this page."
      docs="guides/collect-a-card"
      crumbs={[
        <Link key="tokens" to="/tokens">
          Tokens
        </Link>,
      ]}
    >
      {elementsUrl === undefined ? (
        <Card>
          <Empty icon={CreditCard} title="This vault serves no card fields">
            <p>
              An operator turns them on with <code>STRONGROOM_ELEMENTS_URL</code>. Until then, create tokens through the
              API.
            </p>
          </Empty>
        </Card>
      ) : key === undefined ? (
        <KeyForm onKey={setKey} />
      ) : (
        <CardForm key={key} publicKey={key} elementsUrl={elementsUrl} onOtherKey={() => setKey(undefined)} />
      )}
    </Page>
  );
}

/** Asks for the key of a public application, whose rights and log the new token belongs to. */
function KeyForm({ onKey }: { readonly onKey: (key: string) => void }) {
  const member = useMember();
  const check = useMutation({
    mutationFn: (key: string) => refuseKey(key, member.tenant.id),
    onSuccess: (refusal, key) => {
      if (refusal === undefined) onKey(key);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('key');
    if (typeof given === 'string') check.mutate(given.trim());
  };
  return (
    <Card title="Which application stores it?">
      <CardBody>
        <form className="stack" onSubmit={submit}>
          <Field
            label="Key of a public application"
            hint="Such a key is no secret. It can store a card and read nothing, and the log names its application."
            errors={check.data === undefined ? [] : [check.data]}
          >
            {(attributes) => (
              <input
                {...attributes}
                name="key"
                className="mono"
                required
                maxLength={200}
                pattern="\s*key_.*_pub_.*"
                title="The key of a public application, such as key_test_us_pub_…"
                placeholder="key_…_pub_…"
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
          <p className="note">
            The application has to list this page: <code>{location.origin}</code>.{' '}
            {member.may('application:create') ? (
              <Link
                to="/applications/new"
                search={{
                  name: 'Card form of the portal',
                  type: 'public',
                  permissions: 'token:create',
                  origins: location.origin,
                }}
              >
                Create one that does
              </Link>
            ) : (
              'An owner or an admin can create one.'
            )}
          </p>
          {check.error === null ? null : <Failure error={check.error} />}
          <div className="actions">
            <Button type="submit" kind="main" disabled={check.isPending}>
              Show the card fields
            </Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}
