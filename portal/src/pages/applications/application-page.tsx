import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Application, getApplication } from '../../api/applications';
import { useMember } from '../../api/me';
import { ApprovalNotice } from '../../parts/approval';
import { Page, Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { ApplicationFacts } from './application-facts';
import { ApplicationKeys } from './keys/application-keys';
import { ApplicationRights } from './application-rights';
import { typeDescriptions, typeNames } from './application-types';
import { DeleteApplication } from './delete-application';
import { EditApplication } from './edit-application';

const route = getRouteApi('/applications/$applicationId');

export function ApplicationPage() {
  const { applicationId } = route.useParams();
  const application = useQuery({
    queryKey: ['application', applicationId],
    queryFn: () => getApplication(applicationId),
  });
  if (application.data === undefined) {
    return (
      <Page title="Application">
        <QueryView query={application} what="the application">
          {() => null}
        </QueryView>
      </Page>
    );
  }
  return <Shown application={application.data} key={applicationId} />;
}

function Shown({ application }: { readonly application: Application }) {
  const { edit } = route.useSearch();
  const member = useMember();
  const isEditing = edit !== undefined && member.may('application:update');
  return (
    <Page
      title={application.name}
      lead={`${typeNames[application.type]}. ${typeDescriptions[application.type]}`}
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
          <ApplicationFacts application={application} />
          <Section title="Rights" actions={<SimulatorLink id={application.id} />}>
            <ApplicationRights application={application} />
          </Section>
          <ApplicationKeys application={application} />
        </>
      )}
    </Page>
  );
}

function Actions({ application }: { readonly application: Application }) {
  const member = useMember();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Link to="/audit" search={{ actor_id: application.id }} className="button">
        What it did
      </Link>
      {member.may('application:update') ? (
        <Link
          to="/applications/$applicationId"
          params={{ applicationId: application.id }}
          search={{ edit: 'true' }}
          className="button"
        >
          Edit
        </Link>
      ) : null}
      {member.may('application:delete') ? (
        <button type="button" className="danger" onClick={() => setDeleting(true)}>
          Delete
        </button>
      ) : null}
      {isDeleting ? <DeleteApplication application={application} onClose={() => setDeleting(false)} /> : null}
    </>
  );
}

function SimulatorLink({ id }: { readonly id: string }) {
  return (
    <Link to="/simulator" search={{ application: id }}>
      Try it on a token or container
    </Link>
  );
}
