import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../../parts/controls/code-block';
import { CopiedId } from '../../parts/controls/copied-id';
import { ActorName } from '../../parts/show/actor-name';
import { Fact, Facts } from '../../parts/show/fact';
import { Time } from '../../parts/show/time';
import { kindOf } from '../../parts/show/token-kind';
import type { Token } from './token-query';

export function TokenFacts({ token }: { readonly token: Token }) {
  const { metadata = {}, search_indexes: indexes = [] } = token;
  return (
    <Facts>
      <Fact name="Type">
        {kindOf(token.type).name} <code>{token.type}</code>
      </Fact>
      <Fact name="Container">
        {token.containers.map((container) => (
          <div key={container}>
            <Link to="/tokens" search={{ container }} className="mono">
              {container}
            </Link>
          </div>
        ))}
      </Fact>
      {Object.entries(metadata).map(([key, value]) => (
        <Fact key={key} name={key}>
          <Link to="/tokens" search={{ metadata: `${key}=${value}` }} className="mono">
            {value}
          </Link>
        </Fact>
      ))}
      {token.fingerprint === undefined ? null : (
        <Fact name="Fingerprint">
          <CopiedId id={token.fingerprint} />{' '}
          <Link to="/tokens" search={{ fingerprint: token.fingerprint }}>
            Tokens with equal data
          </Link>
        </Fact>
      )}
      {token.fingerprint_expression === undefined ? null : (
        <Fact name="Fingerprint of">
          <code>{token.fingerprint_expression}</code>
        </Fact>
      )}
      <Fact name="Found by">
        {indexes.map((index) => (
          <div key={index}>
            <code>{index}</code>
          </div>
        ))}
      </Fact>
      {token.mask === undefined ? null : (
        <Fact name="Mask">
          <CodeBlock label="Mask" text={toText(token.mask)} />
        </Fact>
      )}
      <Fact name="Created">
        <Time at={token.created_at} form="exact" /> by <ActorName id={token.created_by} />
      </Fact>
      {token.modified_at === undefined ? null : (
        <Fact name="Changed">
          <Time at={token.modified_at} form="exact" /> by <ActorName id={token.modified_by} />
        </Fact>
      )}
      <Fact name="Expires">
        {token.expires_at === undefined ? 'Never' : <Time at={token.expires_at} form="exact" />}
      </Fact>
    </Facts>
  );
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
