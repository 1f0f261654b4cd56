import type { Schemas } from '../../api/client';
import { Button } from '../controls/button';
import { Card, CardBody } from '../page/card';
import { Loading } from '../page/loading';
import { Empty, Failure } from '../page/states';
import { DataTable } from '../show/data-table';
import { countOf } from '../show/number';
import { Sight, toSight } from '../show/sight';
import type { Target } from './explain';
import type { Onlooker } from './onlooker-rows';
import { sayWay } from './onlooker-words';
import { useOnlookers } from './onlookers-query';
import { transformWords } from './words';

/** Lists everybody who can see a token, or any token in a container, and by which ways. */
export function Onlookers({ target }: { readonly target: Target }) {
  const { found, rows } = useOnlookers(target);
  const isToken = 'token' in target;
  return (
    <Card
      title="Who can read this"
      note={
        isToken
          ? 'Everybody with a way to the token, however roundabout.'
          : 'Everybody with a way to any token there or below.'
      }
    >
      {found.data === undefined ? (
        found.error === null ? (
          <Loading what="who can read this" />
        ) : (
          <CardBody>
            <Failure error={found.error} retry={() => void found.refetch()} />
          </CardBody>
        )
      ) : rows.length === 0 ? (
        <Empty title="Nobody can see it" />
      ) : (
        <OnlookerTable rows={rows} />
      )}
      {found.data === undefined || rows.length === 0 ? null : (
        <CardBody>
          <div className="pager">
            <p role="status">
              {countOf(rows.length, 'onlooker')}
              {found.hasNextPage ? ' so far' : ''}
            </p>
            {found.hasNextPage ? (
              <Button isSmall disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Show more
              </Button>
            ) : null}
          </div>
        </CardBody>
      )}
    </Card>
  );
}

function OnlookerTable({ rows }: { readonly rows: readonly Onlooker[] }) {
  return (
    <DataTable
      caption="Who can read this"
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { header: 'Who', cell: ({ who }) => who },
        { header: 'What', cell: ({ kind }) => <span className="solid">{kind}</span> },
        { header: 'Sees at most', cell: ({ transform }) => <Sight of={toSight(transform)} /> },
        { header: 'By', isWide: true, cell: ({ ways }) => <Ways ways={ways} /> },
      ]}
    />
  );
}

function Ways({ ways }: { readonly ways: readonly Schemas['AccessWay'][] }) {
  return (
    <ul className="ways">
      {ways.map(({ way, transform }) => (
        <li key={way}>
          {sayWay(way)} <span className="muted">({transformWords[transform].toLowerCase()})</span>
        </li>
      ))}
    </ul>
  );
}
