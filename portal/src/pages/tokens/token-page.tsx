import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMember } from '../../api/me';
import { tokenQuery } from '../../api/token';
import { CodeBlock } from '../../parts/code-block';
import { CopiedId } from '../../parts/copied-id';
import { Fact } from '../../parts/fact';
import { Page, Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { ActorName } from '../../parts/actor-name';
import type { Token } from './token-query';
import { TokenRemoval } from './token-removal';
import { TokenTrail } from './token-trail';

/** Shows a token: its masked data, its attributes, and its recent use. */
export function TokenPage() {
  const { tokenId } = useParams({ from: '/tokens/$tokenId' });
  const member = useMember();
  const token = useQuery(tokenQuery(tokenId));
  return (
    <Page
      title="Token"
      lead={<CopiedId id={tokenId} isWhole />}
      actions={
        <>
          <Link to="/simulator" search={{ token: tokenId }} className="button">
            Who can read it
          </Link>
          {member.may('token:delete') && token.data !== undefined ? <TokenRemoval id={tokenId} /> : null}
        </>
      }
    >
      <p className="crumb">
        <Link to="/tokens">All tokens</Link>
      </p>
      <QueryView query={token} what="the token">
        {(found) => (
          <div className="columns">
            <Section title="Masked data">
              <CodeBlock label="Masked data" text={toText(found.data ?? null)} />
              {found.data === undefined ? <p className="note">The data is redacted.</p> : null}
            </Section>
            <Section title="Facts">
              <Facts token={found} />
            </Section>
          </div>
        )}
      </QueryView>
      <TokenTrail id={tokenId} />
    </Page>
  );
}

function Facts({ token }: { readonly token: Token }) {
  const { card, bank, metadata = {}, search_indexes: indexes = [] } = token;
  return (
    <dl className="facts">
      <Fact name="Type">
        <Tag>{token.type}</Tag>
        {card === undefined ? null : ` ${[card.brand, `ending in ${card.last4}`].filter(Boolean).join(', ')}`}
        {bank === undefined ? null : ` ending in ${bank.account_number_last4}`}
      </Fact>
      <Fact name="Containers">
        {token.containers.map((container) => (
          <div key={container}>
            <Link to="/tokens" search={{ container }} className="mono">
              {container}
            </Link>
          </div>
        ))}
      </Fact>
      <Fact name="Metadata">
        {Object.entries(metadata).map(([key, value]) => (
          <div key={key}>
            <code>
              {key}={value}
            </code>
          </div>
        ))}
      </Fact>
      <Fact name="Fingerprint">
        {token.fingerprint === undefined ? null : (
          <>
            <CopiedId id={token.fingerprint} />{' '}
            <Link to="/tokens" search={{ fingerprint: token.fingerprint }}>
              Tokens with equal data
            </Link>
          </>
        )}
      </Fact>
      <Fact name="Fingerprint of">
        {token.fingerprint_expression === undefined ? null : <code>{token.fingerprint_expression}</code>}
      </Fact>
      <Fact name="Search indexes">
        {indexes.map((index) => (
          <div key={index}>
            <code>{index}</code>
          </div>
        ))}
      </Fact>
      <Fact name="Mask">{token.mask === undefined ? null : <CodeBlock label="Mask" text={toText(token.mask)} />}</Fact>
      <Fact name="Expires">{token.expires_at === undefined ? 'never' : <Time at={token.expires_at} />}</Fact>
      <Fact name="Created">
        <Time at={token.created_at} /> by <ActorName id={token.created_by} />
      </Fact>
      <Fact name="Modified">
        {token.modified_at === undefined ? null : (
          <>
            <Time at={token.modified_at} /> by <ActorName id={token.modified_by} />
          </>
        )}
      </Fact>
    </dl>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
