import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { deleteRoute, type StoredProxy } from '../../api/routes';
import { Button } from '../../parts/controls/button';
import { CopiedId } from '../../parts/controls/copied-id';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { Card, CardBody } from '../../parts/page/card';
import { Fact, Facts } from '../../parts/show/fact';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { describeRoute } from './route-sentences';

/** Shows a route: what it may do, and its key. `rights` names the application whose rights apply. */
export function RouteCard({ route, rights }: { readonly route: StoredProxy; readonly rights: string | undefined }) {
  const mayDelete = useMember().may('proxy:delete');
  const [isDeleting, setDeleting] = useState(false);
  const lender = route.application_id === undefined ? undefined : (rights ?? 'an application that is deleted');
  return (
    <Card
      title={route.name}
      note={route.destination_url}
      actions={
        mayDelete ? (
          <Button isSmall kind="warns" onClick={() => setDeleting(true)}>
            Delete<span className="unseen"> {route.name}</span>
          </Button>
        ) : null
      }
    >
      <CardBody>
        <RouteSentences sentences={describeRoute(route, lender)} />
        <Facts>
          {route.key === undefined ? null : (
            <Fact name="Key">
              <CopiedId id={route.key} />
            </Fact>
          )}
          <Fact name="Callers">{route.require_auth ? <Tag>API key</Tag> : <Tag>without an API key</Tag>}</Fact>
          {route.configuration_names.length === 0 ? null : (
            <Fact name="Secrets">
              <code>{route.configuration_names.join(', ')}</code>
            </Fact>
          )}
          <Fact name="Created">
            <Time at={route.created_at} form="ago" />
          </Fact>
        </Facts>
      </CardBody>
      {isDeleting ? <DeleteRoute route={route} onClose={() => setDeleting(false)} /> : null}
    </Card>
  );
}

/** Shows what a route may do, one sentence a line. */
export function RouteSentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <ul className="route-sentences">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function DeleteRoute({ route, onClose }: { readonly route: StoredProxy; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => deleteRoute(route.id),
    onSuccess: async () => {
      onClose();
      toast({ text: `${route.name} was deleted` });
      await queries.invalidateQueries({ queryKey: ['routes'] });
    },
  });
  return (
    <Confirmation
      title={`Delete ${route.name}?`}
      action="Delete the route"
      typedName={route.name}
      work={remove}
      onClose={onClose}
    >
      <p>Its key is refused at once, and so is everybody who calls it. Tokens that it created stay.</p>
    </Confirmation>
  );
}
