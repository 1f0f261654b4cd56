import { Link } from '@tanstack/react-router';
import { useOnlookers } from '../../parts/access/onlookers-query';
import { Card, CardBody } from '../../parts/page/card';
import { Loading } from '../../parts/page/loading';
import { Failure } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { Sight, toSight } from '../../parts/show/sight';

/** The simulator shows all of them, with the ways. */
const readersShown = 8;

/** Shows who can read a token, those who see the most first. */
export function TokenReaders({ id }: { readonly id: string }) {
  const { found, rows } = useOnlookers({ token: id });
  const rest = rows.length - readersShown;
  return (
    <Card
      title="Who can read it"
      actions={
        <Link to="/simulator" search={{ token: id }}>
          How
        </Link>
      }
    >
      {found.error === null ? null : (
        <CardBody>
          <Failure error={found.error} retry={() => void found.refetch()} />
        </CardBody>
      )}
      {found.isPending ? <Loading what="who can read it" /> : null}
      <ul className="rows">
        {rows.slice(0, readersShown).map(({ key, who, kind, transform }) => (
          <li key={key}>
            <div className="row">
              <span className="grow">
                {who} <span className="muted">{kind}</span>
              </span>
              <Sight of={toSight(transform)} />
            </div>
          </li>
        ))}
      </ul>
      {rest <= 0 && !found.hasNextPage ? null : (
        <CardBody>
          <p className="note">
            {rest > 0 ? `And ${countOf(rest, 'other')}` : 'And others'}, in the{' '}
            <Link to="/simulator" search={{ token: id }}>
              simulator
            </Link>
            .
          </p>
        </CardBody>
      )}
    </Card>
  );
}
