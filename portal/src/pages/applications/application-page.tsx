import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ellipsis, FlaskConical, Pencil, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { type Application, getApplication } from '../../api/applications';
import { useMember } from '../../api/me';
import { buttonClass } from '../../parts/controls/button';
import { Menu } from '../../parts/controls/menu';
import { Icon } from '../../parts/icon';
import { ApprovalNotice } from '../../parts/page/approval';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Tabs } from '../../parts/page/tabs';
import { ApplicationFacts } from './application-facts';
import { ApplicationRights } from './application-rights';
import { typeDescriptions, typeNames } from './application-types';
import { DeleteApplication } from './delete-application';
import { EditApplication } from './edit-application';
import { ApplicationKeys } from './keys/application-keys';

const route = getRouteApi('/applications/$applicationId');

const crumbs = [
  <Link key="applications" to="/applications">
    Applications
  </Link>,
];

export function ApplicationPage() {
  const { applicationId } = route.useParams();
  const application = useQuery({
    queryKey: ['application', applicationId],
    queryFn: () => getApplication(applicationId),
  });
  if (application.data === undefined) {
    return (
      <Page title="Application" crumbs={crumbs}>
        <QueryView query={application} what="the application">
          {() => null}
        </QueryView>
      </Page>
    );
  }
  return <Shown application={application.data} key={applicationId} />;
}

function Shown({ application }: { readonly application: Application }) {
  const { edit, tab, rotate } = route.useSearch();
  const member = useMember();
  const isEditing = edit !== undefined && member.may('application:update');
  const current = rotate === undefined ? (tab === 'keys' || tab === 'settings' ? tab : 'access') : 'keys';
  return (
    <Page
      title={application.name}
      crumbs={crumbs}
      lead={`${typeNames[application.type]}. ${typeDescriptions[application.type]}`}
      docs="concepts/containers-and-rules"
      hasTimes
      actions={isEditing ? undefined : <Actions application={application} />}
    >
      {isEditing ? (
        <EditApplication application={application} />
      ) : (
        <>
          <ApprovalNotice
            of={application}
            what="A change of its rights awaits approval; what it could do before is in force until then. A new application can do nothing until then."
          />
          <Tabs
            label="Parts of this application"
            current={current}
            of={[
              { name: 'access', label: 'Access' },
              { name: 'keys', label: 'Keys', count: application.keys.length },
              { name: 'settings', label: 'Settings' },
            ]}
            link={(name, attributes, children) => (
              <Link
                to="/applications/$applicationId"
                params={{ applicationId: application.id }}
                search={name === 'access' ? {} : { tab: name }}
                activeOptions={{ exact: true }}
                {...attributes}
              >
                {children}
              </Link>
            )}
          />
          {current === 'access' ? <ApplicationRights application={application} /> : null}
          {current === 'keys' ? <ApplicationKeys application={application} /> : null}
          {current === 'settings' ? (
            <Card title="Settings">
              <CardBody>
                <ApplicationFacts application={application} />
              </CardBody>
            </Card>
          ) : null}
        </>
      )}
    </Page>
  );
}

function Actions({ application }: { readonly application: Application }) {
  const member = useMember();
  const [isDeleting, setDeleting] = useState(false);
  const { id } = application;
  return (
    <>
      <Link to="/audit" search={{ actor_id: id }} className={buttonClass()}>
        <Icon of={ScrollText} />
        Its records
      </Link>
      {member.may('application:update') ? (
        <Link
          to="/applications/$applicationId"
          params={{ applicationId: id }}
          search={{ edit: 'true' }}
          className={buttonClass()}
        >
          <Icon of={Pencil} />
          Edit
        </Link>
      ) : null}
      <Menu
        label="More"
        trigger={(attributes) => (
          <button {...attributes} className="button icon-button" aria-label="More actions" title="More actions">
            <Icon of={Ellipsis} />
          </button>
        )}
      >
        <Link to="/simulator" search={{ application: id }}>
          <Icon of={FlaskConical} />
          Try it in the simulator
        </Link>
        {member.may('application:delete') ? (
          <button type="button" className="item warns" onClick={() => setDeleting(true)}>
            <Icon of={Trash2} />
            Delete
          </button>
        ) : null}
      </Menu>
      {isDeleting ? <DeleteApplication application={application} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}
