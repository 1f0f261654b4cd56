import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Application, type ApplicationType, applicationTypes, permissionsQuery } from '../../api/applications';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { toRights } from '../../parts/access/rights';
import { ApprovalNotice } from '../../parts/approval';
import { Page } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Empty, Failure } from '../../parts/states';
import { type ApplicationDraft, emptyDraft, toSettings, withType } from './form/application-draft';
import { ApplicationFields } from './form/application-form';
import { typeDescriptions, typeNames } from './application-types';
import { NewSecret } from './keys/new-secret';
import { StaleSignIn } from '../../parts/stale-sign-in';

type Template = Schemas['ApplicationTemplate'];
const route = getRouteApi('/applications/new');

export function NewApplicationPage() {
  const member = useMember();
  const { template: templateId } = route.useSearch();
  const [created, setCreated] = useState<Application>();
  const templates = useQuery({
    queryKey: ['application-templates'],
    queryFn: () => unwrap(api.GET('/application-templates')),
    staleTime: Infinity,
  });
  if (!member.may('application:create')) {
    return (
      <Page title="New application">
        <Empty title="Your role cannot create applications.">Admins and owners can.</Empty>
      </Page>
    );
  }
  if (created !== undefined) return <Created application={created} />;
  return (
    <Page
      title="New application"
      lead="Give it as little as its work needs. You can change all of it later but its type."
    >
      <StaleSignIn />
      <QueryView query={templates} what="templates">
        {(list) => (
          <>
            <Templates templates={list} chosen={templateId} />
            <NewApplicationForm
              key={templateId}
              template={list.find(({ id }) => id === templateId)}
              onCreated={setCreated}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Templates({
  templates,
  chosen,
}: {
  readonly templates: readonly Template[];
  readonly chosen: string | undefined;
}) {
  const navigate = route.useNavigate();
  const choices = [
    { id: '', name: 'From nothing', description: 'Choose type, permissions and rules yourself.' },
    ...templates,
  ];
  return (
    <fieldset className="choices">
      <legend>Start from</legend>
      {choices.map(({ id, name, description }) => (
        <label key={id}>
          <input
            type="radio"
            name="template"
            checked={(chosen ?? '') === id}
            onChange={() => void navigate({ search: { template: id }, replace: true })}
          />
          <span>
            {name}
            <span className="note">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function NewApplicationForm(form: {
  readonly template: Template | undefined;
  readonly onCreated: (application: Application) => void;
}) {
  const [draft, setDraft] = useState(() => fromTemplate(form.template));
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (wanted: ApplicationDraft) =>
      unwrap(api.POST('/applications', { body: { ...toSettings(wanted), type: wanted.type } })),
    onSuccess: async (application) => {
      await queries.invalidateQueries({ queryKey: ['applications'] });
      form.onCreated(application);
    },
  });
  return (
    <form
      className="application-form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(draft);
      }}
    >
      <TypeField draft={draft} onChange={setDraft} />
      <ApplicationFields draft={draft} onChange={setDraft} error={create.error} />
      {create.error === null ? null : <Failure error={create.error} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={create.isPending}>
          Create the application
        </button>
        <Link to="/applications" className="button">
          Cancel
        </Link>
      </div>
    </form>
  );
}

function TypeField(field: { readonly draft: ApplicationDraft; readonly onChange: (draft: ApplicationDraft) => void }) {
  const { draft, onChange } = field;
  const queries = useQueryClient();
  const choose = async (type: ApplicationType) => {
    const offered = await queries.fetchQuery(permissionsQuery(type));
    onChange(withType(draft, type, new Set(offered.map((permission) => permission.type))));
  };
  return (
    <fieldset className="choices">
      <legend>Type</legend>
      {applicationTypes.map((type) => (
        <label key={type}>
          <input type="radio" name="type" checked={draft.type === type} onChange={() => void choose(type)} />
          <span>
            {typeNames[type]}
            <span className="note">{typeDescriptions[type]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Created({ application }: { readonly application: Application }) {
  return (
    <Page title={`${application.name} was created`}>
      {application.key === undefined ? null : <NewSecret secret={application.key} />}
      <ApprovalNotice of={application} what="It can do nothing until it is approved, and its key is refused." />
      <Link to="/applications/$applicationId" params={{ applicationId: application.id }} className="button primary">
        Open the application
      </Link>
    </Page>
  );
}

function fromTemplate(template: Template | undefined): ApplicationDraft {
  if (template === undefined) return emptyDraft;
  const type = applicationTypes.find((one) => one === template.application_type) ?? 'private';
  return { ...emptyDraft, type, rights: toRights(template) };
}
