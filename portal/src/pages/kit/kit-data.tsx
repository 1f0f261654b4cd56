import { Bell, ChevronRight } from 'lucide-react';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';
import { Tabs } from '../../parts/page/tabs';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Fact, Facts } from '../../parts/show/fact';
import { Glyph } from '../../parts/show/glyph';
import { formatNumber } from '../../parts/show/number';
import { type LogRecord, SaidOf, sightOf } from '../../parts/show/said';
import { Sight, SightMark, type SightKind } from '../../parts/show/sight';
import { Time } from '../../parts/show/time';
import { TokenGlyph } from '../../parts/show/token-kind';
import { Trail } from '../../parts/show/trail';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly sight: SightKind;
  readonly count: number;
}

const rows: readonly Row[] = [
  { name: '•••• •••• •••• 5512', type: 'card', sight: 'plaintext', count: 1_123 },
  { name: '021000021 · ••••••8024', type: 'bank', sight: 'masked', count: 20 },
  { name: '•••-••-1079', type: 'social_security_number', sight: 'none', count: 3 },
];

const columns: readonly Column<Row>[] = [
  {
    header: 'Masked value',
    isWide: true,
    cell: ({ name, type }) => (
      <span className="main-cell">
        <TokenGlyph type={type} />
        <span className="value">{name}</span>
      </span>
    ),
  },
  { header: 'Seen', narrow: 'end', cell: ({ sight }) => <Sight of={sight} /> },
  { header: 'Records', narrow: 'below', isNumber: true, cell: ({ count }) => formatNumber(count) },
];

const record = (id: string, minute: number, change: Partial<LogRecord>): LogRecord => ({
  id,
  tenant_id: id,
  entity_type: 'card',
  entity_id: '2c5f9f82-6020-49f7-9fe2-95318c12ed53',
  operation: 'read',
  outcome: 'success',
  message: '',
  source_address: '192.0.2.60',
  created_at: new Date(2026, 9, 20, 14, 59 - minute).toISOString(),
  ...change,
});
const member = { actor_type: 'user', actor_id: '00000000-0000-4000-8000-000000000001', transform: 'mask' } as const;

/** Records of every kind of sentence, newest first. */
const records: readonly LogRecord[] = [
  record('1', 0, { actor_type: 'system', operation: 'expire' }),
  record('2', 1, { ...member, transform: 'reveal' }),
  record('3', 2, member),
  record('4', 3, member),
  record('5', 4, { ...member, operation: 'delete', outcome: 'denied' }),
  record('6', 5, { ...member, transform: 'reveal', destination: 'api.acquirer.example' }),
  record('7', 6, { ...member, operation: 'create' }),
];

/** Shows how facts, lists and stories look. */
export function KitData() {
  return (
    <>
      <Card>
        <CardBody>
          <Tabs
            label="Parts of the kit"
            current="first"
            of={[
              { name: 'first', label: 'Access' },
              { name: 'second', label: 'Keys', count: 2 },
            ]}
            link={(_, attributes, children) => (
              <Link to="/" {...attributes}>
                {children}
              </Link>
            )}
          />
          <Facts>
            <Fact name="Id">
              <code>2c5f9f82</code>
            </Fact>
            <Fact name="Created">
              <Time at={record('', 0, {}).created_at} form="second" />
            </Fact>
            <Fact name="Mask">{null}</Fact>
          </Facts>
        </CardBody>
      </Card>
      <Card title="A table" note="On a small screen, a row has two lines.">
        <DataTable caption="Kit" columns={columns} rows={rows} keyOf={({ name }) => name} />
      </Card>
      <div className="columns">
        <Card title="Rows and sentences" actions={<Link to="/">All of them</Link>}>
          <ul className="rows">
            <li>
              <Link to="/" className="row">
                <Glyph of={Bell} tone="bad" />
                <span className="said">
                  <b>Analytics</b> asked for 143 tokens that do not exist
                </span>
                <span className="tail">18 Nov, 03:18</span>
                <Icon of={ChevronRight} />
              </Link>
            </li>
            {records.slice(1, 6).map((one) => (
              <li key={one.id}>
                <div className="row">
                  <span className={`sight sight-${sightOf(one)}`}>
                    <SightMark of={sightOf(one)} />
                  </span>
                  <SaidOf record={one} />
                </div>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="A story">
          <CardBody>
            <Trail records={records} object="it" />
          </CardBody>
        </Card>
      </div>
    </>
  );
}
