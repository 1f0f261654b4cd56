import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useState } from 'react';
import { Button } from '../../parts/controls/button';
import { Card, CardBody } from '../../parts/page/card';
import { Loading } from '../../parts/page/loading';
import { Failure } from '../../parts/page/states';
import { type CardFields, fieldLabels, fieldNames, mountCardFields, storeCard } from './card-fields';

/** Shows the three fields of a card and stores what they hold. Each field is a page of the vault of its own. */
export function CardForm(form: {
  readonly publicKey: string;
  readonly elementsUrl: string;
  readonly onOtherKey: () => void;
}) {
  const { publicKey, elementsUrl, onOtherKey } = form;
  const [fields, setFields] = useState<CardFields>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    let isGone = false;
    const mounting = mountCardFields(publicKey, elementsUrl);
    mounting.then(
      (mounted) => (isGone ? mounted.unmount() : setFields(mounted)),
      (error: unknown) => setProblem(error instanceof Error ? error : new Error(String(error))),
    );
    return () => {
      isGone = true;
      void mounting.then((mounted) => mounted.unmount()).catch(() => undefined);
    };
  }, [publicKey, elementsUrl]);
  const store = useMutation({
    mutationFn: storeCard,
    // The whole page is loaded, so that nothing of the fields is left.
    onSuccess: (id) => location.assign(`/portal/tokens/${encodeURIComponent(id)}`),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (fields !== undefined) store.mutate(fields);
  };
  return (
    <Card title="The card">
      <CardBody>
        <form className="stack card-form" onSubmit={submit}>
          {fieldNames.map((name) => (
            <div key={name} className="field">
              <span className="label" id={`label-${name}`}>
                {fieldLabels[name]}
              </span>
              <div className="card-field" id={`card-${name}`} />
            </div>
          ))}
          {fields === undefined && problem === undefined ? <Loading what="the card fields" /> : null}
          {problem === undefined ? null : <Refused error={problem} />}
          {store.error === null ? null : <Failure error={store.error} />}
          <div className="actions">
            <Button type="submit" kind="main" disabled={fields === undefined || store.isPending}>
              Store the card
            </Button>
            <Button onClick={onOtherKey}>Use another key</Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}

/** Browsers do not tell a page why a frame was refused, so the likely reasons are named. */
function Refused({ error }: { readonly error: Error }) {
  return (
    <div className="banner bad" role="alert">
      <div className="failure">
        <p>The card fields did not start: {error.message}</p>
        <p>
          The key has to belong to a public application that lists <code>{location.origin}</code>. If it does,{' '}
          <a href="/portal/new-token">load this page again</a>.
        </p>
      </div>
    </div>
  );
}
