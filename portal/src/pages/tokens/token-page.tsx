import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { EyeOff, FlaskConical } from 'lucide-react';
import { useMember } from '../../api/me';
import { tokenQuery } from '../../api/token';
import { buttonClass } from '../../parts/controls/button';
import { CodeBlock } from '../../parts/controls/code-block';
import { CopiedId } from '../../parts/controls/copied-id';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Plastic } from './plastic';
import { TokenFacts, toText } from './token-facts';
import { TokenReaders } from './token-readers';
import { TokenRemoval } from './token-removal';
import { TokenTrail } from './token-trail';
import type { Token } from './token-query';
import { nameOf } from './token-summary';

/** Shows a token: its masked data, its attributes, who saw it and who could. */
export function TokenPage() {
  const { tokenId } = useParams({ from: '/tokens/$tokenId' });
  const member = useMember();
  const token = useQuery(tokenQuery(tokenId));
  return (
    <Page
      title={token.data === undefined ? 'Token' : nameOf(token.data)}
      crumbs={[
        <Link key="tokens" to="/tokens">
          Tokens
        </Link>,
      ]}
      lead={<CopiedId id={tokenId} isWhole />}
      docs="concepts/tokens"
      hasTimes
      actions={
        <>
          <Link to="/simulator" search={{ token: tokenId }} className={buttonClass()}>
            <Icon of={FlaskConical} />
            Simulate
          </Link>
          {member.may('token:delete') && token.data !== undefined ? <TokenRemoval id={tokenId} /> : null}
        </>
      }
    >
      <div className="columns side-left token-columns">
        <div className="stack">
          <QueryView query={token} what="the token">
            {(found) => <Shown token={found} />}
          </QueryView>
          {token.data === undefined ? null : <TokenReaders id={tokenId} />}
        </div>
        <TokenTrail id={tokenId} />
      </div>
    </Page>
  );
}

function Shown({ token }: { readonly token: Token }) {
  const json = <CodeBlock label="Masked data" text={toText(token.data ?? null)} />;
  return (
    <>
      {token.card === undefined ? (
        <Card title="Masked value">
          <CardBody>
            {json}
            {token.data === undefined ? <p className="note">Nothing of the data may be seen.</p> : null}
          </CardBody>
        </Card>
      ) : (
        <div className="stack token-plastic">
          <Plastic token={token} card={token.card} />
          <p className="line small muted">
            <Icon of={EyeOff} isSmall /> Masked for every member
          </p>
          <details>
            <summary className="small muted">As JSON</summary>
            {json}
          </details>
        </div>
      )}
      <Card title="Facts">
        <CardBody>
          <TokenFacts token={token} />
        </CardBody>
      </Card>
    </>
  );
}
