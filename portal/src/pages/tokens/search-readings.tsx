import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/names';
import { countOf } from '../../parts/show/number';
import { readPasted } from '../../parts/find/readings';
import { comparedMax } from './token-query';

/** Says how pasted text is read, and links to where else it could be found. */
export function SearchReadings({
  text,
  metadataKeys,
}: {
  readonly text: string;
  readonly metadataKeys: readonly string[];
}) {
  const { tried, lastFour, isId, isAddress } = readPasted(text, metadataKeys);
  const known = useNames().get(text);
  return (
    <div className="note" role="status">
      <p>
        Read as {listOf(tried)}.
        {lastFour === undefined
          ? ''
          : ` Last four digits were compared with the newest ${countOf(comparedMax, 'card')} and bank accounts.`}
      </p>
      <p>
        {known?.kind === 'application' ? (
          <Link to="/applications/$applicationId" params={{ applicationId: text }}>
            It is the application {known.name}.
          </Link>
        ) : null}{' '}
        {isId ? (
          <>
            Records{' '}
            <Link to="/audit" search={{ entity_id: text, range: '90d' }}>
              about this id
            </Link>
            ,{' '}
            <Link to="/audit" search={{ request_id: text, range: '90d', views: 'shown' }}>
              with this trace id
            </Link>{' '}
            or{' '}
            <Link to="/audit" search={{ actor_id: text, range: '90d', views: 'shown' }}>
              of this actor
            </Link>
          </>
        ) : null}
        {isAddress ? (
          <Link to="/audit" search={{ source_address: text, range: '90d', views: 'shown' }}>
            Records from this address
          </Link>
        ) : null}
      </p>
    </div>
  );
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
