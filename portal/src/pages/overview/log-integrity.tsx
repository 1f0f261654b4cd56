import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { sealQuery } from '../../api/seal';
import { Card, CardBody } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Fact, Facts } from '../../parts/show/fact';
import { countOf, formatNumber } from '../../parts/show/number';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';

/** Shows whether the log can be proven. */
export function LogIntegrity() {
  const seal = useQuery(sealQuery);
  const isSealing = seal.data?.stop === undefined && seal.data?.worker.is_running === true;
  return (
    <Card
      title="Integrity of the log"
      actions={
        seal.data === undefined ? null : (
          <Tag tone={isSealing ? 'good' : 'bad'} icon={isSealing ? ShieldCheck : ShieldAlert}>
            {isSealing ? 'Sealed' : 'Not sealing'}
          </Tag>
        )
      }
    >
      <CardBody>
        <QueryView query={seal} what="the state of the log">
          {({ checkpoint, waiting }) => (
            <Facts>
              <Fact name="Sealed">
                {checkpoint === undefined ? 'Nothing yet' : countOf(checkpoint.tree_size, 'record')}
              </Fact>
              <Fact name="Waiting">{countOf(waiting.records, 'record')}</Fact>
              {checkpoint === undefined ? null : (
                <Fact name="Checkpoint">
                  {formatNumber(checkpoint.number)}, <Time at={checkpoint.sealed_at} form="ago" />
                </Fact>
              )}
              <Fact name="Key">
                <Link to="/encryption-keys">Compare and pin it</Link>
              </Fact>
            </Facts>
          )}
        </QueryView>
      </CardBody>
    </Card>
  );
}
