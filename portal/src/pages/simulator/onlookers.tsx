import { useInfiniteQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { useNames } from '../../api/names';
import type { Target } from '../../parts/access/explain';
import { transforms } from '../../parts/access/rights';
import { transformTones, transformWords } from '../../parts/access/words';
import { DataTable } from '../../parts/data-table';
import { countOf } from '../../parts/number';
import { Section } from '../../parts/page';
import { Empty, Failure, Loading } from '../../parts/states';
import { Tag } from '../../parts/tag';
import { type Onlooker, toOnlookers } from './onlooker-rows';
import { sayWay } from './onlooker-words';

type Part = Schemas['Onlookers'];

/** Lists everybody who can see a token, or any token in a container. Those who see the most come first. */
export function Onlookers({ target }: { readonly target: Target }) {
  const names = useNames();
  const found = useInfiniteQuery({
    queryKey: ['who', target],
    queryFn: ({ pageParam }) => findOnlookers(target, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const parts = found.data?.pages ?? [];
  const rows = parts
    .flatMap((part) => toOnlookers(part, names))
    .toSorted((a, b) => transforms.indexOf(b.transform) - transforms.indexOf(a.transform));
  const isToken = 'token' in target;
  return (
    <Section
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
          <Failure error={found.error} retry={() => void found.refetch()} />
        )
      ) : rows.length === 0 ? (
        <Empty title="Nobody can see it." />
      ) : (
        <OnlookerTable rows={rows} />
      )}
      {found.data === undefined ? null : (
        <div className="pager">
          <p className="note" role="status">
            {rows.length === 0 ? '' : `${countOf(rows.length, 'onlooker')}${found.hasNextPage ? ' so far' : ''}`}
          </p>
          {found.hasNextPage ? (
            <button type="button" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              Show more
            </button>
          ) : null}
        </div>
      )}
    </Section>
  );
}

function findOnlookers(target: Target, start: string): Promise<Part> {
  const about = 'token' in target ? { token_id: target.token } : { container: target.container };
  return unwrap(api.POST('/access/who', { body: { ...about, ...(start === '' ? {} : { start }) } }));
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
        {
          header: 'Sees at most',
          cell: ({ transform }) => <Tag tone={transformTones[transform]}>{transformWords[transform]}</Tag>,
        },
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
          {sayWay(way)} <span className="note">({transformWords[transform].toLowerCase()})</span>
        </li>
      ))}
    </ul>
  );
}
