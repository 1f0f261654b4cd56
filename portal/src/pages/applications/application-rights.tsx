import { Link } from '@tanstack/react-router';
import { Ban, FlaskConical, Lock } from 'lucide-react';
import type { Application } from '../../api/applications';
import type { Schemas } from '../../api/client';
import { toRights } from '../../parts/access/rights';
import { buttonClass } from '../../parts/controls/button';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';
import { Empty } from '../../parts/page/states';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Sight, toSight } from '../../parts/show/sight';

type Rule = Schemas['AccessRuleRequest'];

const columns: readonly Column<Rule>[] = [
  { header: 'Order', cell: ({ priority }) => <span className="rule-number">{priority}</span> },
  { header: 'Container', cell: ({ container }) => <code>{container}</code> },
  { header: 'Shows', cell: ({ transform }) => <Sight of={toSight(transform)} /> },
  { header: 'Permits', cell: ({ permissions }) => <Names names={permissions} /> },
  { header: 'What it is for', isWide: true, cell: ({ description }) => description ?? '' },
];

/** Shows rules in evaluation order, and permissions. */
export function ApplicationRights({ application }: { readonly application: Application }) {
  const { permissions, rules } = toRights(application);
  const simulate = (
    <Link to="/simulator" search={{ application: application.id }} className={buttonClass({ isSmall: true })}>
      <Icon of={FlaskConical} isSmall />
      Try it on a token
    </Link>
  );
  if (permissions.length === 0 && rules.length === 0) {
    return (
      <div className="card">
        <Empty icon={Lock} title="It may do nothing by itself">
          <p>Sessions that are opened with its key get rights of their own.</p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      {rules.length === 0 ? null : (
        <Card
          title="Rules, in their order"
          note="The first rule that covers a token and permits what is asked decides how much is shown."
          actions={simulate}
        >
          <DataTable
            caption="Rules, in the order in which they are checked"
            columns={columns}
            rows={rules}
            keyOf={({ priority }) => String(priority)}
          />
        </Card>
      )}
      {permissions.length === 0 ? (
        <p className="line small muted">
          <Icon of={Ban} isSmall />
          No permissions besides: what no rule covers is denied.
        </p>
      ) : (
        <Card
          title={
            application.type === 'management' ? 'Permissions in the whole tenant' : 'Permissions on all containers'
          }
          note={toNote(application.type, rules.length > 0)}
          {...(rules.length === 0 && application.type !== 'management' ? { actions: simulate } : {})}
        >
          <CardBody>
            <Names names={permissions} />
          </CardBody>
        </Card>
      )}
    </>
  );
}

function toNote(type: Application['type'], hasRules: boolean): string {
  const what = type === 'management' ? '' : 'They show masked data. ';
  return `${what}${hasRules ? 'They apply where no rule decides.' : ''}`;
}

function Names({ names }: { readonly names: readonly string[] }) {
  return (
    <span className="names">
      {names.map((name) => (
        <code key={name} className="solid">
          {name}
        </code>
      ))}
    </span>
  );
}
