import { Link } from '@tanstack/react-router';
import { CreditCard, Landmark } from 'lucide-react';
import type { ReactNode } from 'react';
import { BarList } from '../../charts/bar-list';
import { sightSeries } from '../../charts/sight-bars';
import { Spark } from '../../charts/spark';
import { type Bar, StackedBars } from '../../charts/stacked-bars';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';

const values = [12, 30, 18, 44, 26, 38, 9, 21, 33, 40, 28, 16];
const bars: readonly Bar[] = values.map((value, index) => ({
  key: String(index),
  label: `${index + 1} Nov`,
  values: {
    plaintext: index === 7 ? 30 : 3,
    masked: value,
    none: Math.round(value / 2),
    denied: index === 10 ? 18 : 1,
  },
}));
const line = (content: ReactNode) => <Link to="/">{content}</Link>;

export function KitCharts() {
  return (
    <>
      <Card title="A chart" note="Plaintext stands on the base line, and what was refused hangs below it.">
        <CardBody>
          <StackedBars caption="Operations each day" bars={bars} series={sightSeries} height={200} />
        </CardBody>
      </Card>
      <div className="columns">
        <Card title="Shares">
          <BarList
            caption="Tokens by type"
            shares={[
              { key: 'card', value: 81_204, label: 'Card', icon: <Icon of={CreditCard} />, line },
              { key: 'bank', value: 11_870, label: 'Bank account', icon: <Icon of={Landmark} />, line },
            ]}
          />
        </Card>
        <ul className="card stats">
          <li>
            <div className="stat">
              <span className="stat-name">Operations</span>
              <span className="stat-line">
                <span className="stat-value">32,715</span>
                <Spark values={values} tone="masked" />
              </span>
              <span className="stat-note">in 30 days</span>
            </div>
          </li>
          <li>
            <div className="stat">
              <span className="stat-name">Plaintext views</span>
              <span className="stat-line">
                <span className="stat-value">1,123</span>
                <Spark values={values.toReversed()} tone="plaintext" />
              </span>
              <span className="stat-note">in 30 days</span>
            </div>
          </li>
        </ul>
      </div>
    </>
  );
}
