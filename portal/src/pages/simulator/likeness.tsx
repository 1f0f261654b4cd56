import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMember } from '../../api/me';
import { tokenQuery } from '../../api/token';
import type { Target } from '../../parts/access/explain';
import type { Decision } from '../../parts/access/words';
import { CodeBlock } from '../../parts/controls/code-block';
import { Card, CardBody } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';

/** Shows what a read of the token would return. The portal only has masked data, so plaintext is merely described. */
export function Likeness(likeness: {
  readonly target: Target;
  readonly reading: Decision | undefined;
  readonly name: string;
}) {
  const { target, reading, name } = likeness;
  if (!('token' in target) || reading === undefined) return null;
  return (
    <Card title="What it would look like" actions={<TokenLink id={target.token} />}>
      <CardBody>
        {reading.is_allowed ? (
          <Shown token={target.token} transform={reading.transform} name={name} />
        ) : (
          <p>{name} could not read the token: the vault would refuse.</p>
        )}
      </CardBody>
    </Card>
  );
}

function TokenLink({ id }: { readonly id: string }) {
  return (
    <Link to="/tokens/$tokenId" params={{ tokenId: id }}>
      Open the token
    </Link>
  );
}

function Shown(shown: {
  readonly token: string;
  readonly transform: string | undefined;
  readonly name: string;
}): ReactNode {
  const { token, transform, name } = shown;
  if (transform === 'mask') return <Masked token={token} name={name} />;
  if (transform === 'redact')
    return <p>{name} would get the token without its data: there is no data in the response.</p>;
  return <p>{name} would see the data as plaintext, which the portal never shows.</p>;
}

function Masked({ token, name }: { readonly token: string; readonly name: string }) {
  const member = useMember();
  const read = useQuery({ ...tokenQuery(token), enabled: member.may('token:read') });
  return (
    <QueryView query={read} what="the masked token">
      {({ data }) => (
        <>
          <p>{name} would see the data masked, as you do:</p>
          <CodeBlock
            label="Masked data"
            text={data === undefined ? 'No data: the token has no mask.' : JSON.stringify(data, null, 2)}
          />
        </>
      )}
    </QueryView>
  );
}
