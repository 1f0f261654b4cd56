import { useQuery } from '@tanstack/react-query';
import { permissionsQuery } from '../../../api/applications';
import type { Schemas } from '../../../api/client';
import { useMember } from '../../../api/me';
import { Problem } from '../../../api/problem';
import { PermissionBoxes } from '../../../parts/access/permission-boxes';
import { RulesEditor } from '../../../parts/access/rules-editor';
import { Field } from '../../../parts/controls/field';
import { Card, CardBody } from '../../../parts/page/card';
import { QueryView } from '../../../parts/page/query-view';
import type { DraftEditor } from './application-draft';
import { errorsAt } from './field-errors';
import { ExpiryField, GrantLimitFields } from './limit-fields';
import { DestinationsField, OriginsField } from './list-fields';

/** Shows every setting of an application that can be changed later. */
export function ApplicationFields(editor: DraftEditor & { readonly hadGrantLimit?: boolean }) {
  const { draft, onChange, error } = editor;
  const permissions = useQuery(permissionsQuery(draft.type));
  const member = useMember();
  // Members cannot grant a permission that their own role lacks, but they can revoke one that is already granted.
  const isOffered = ({ type }: Schemas['Permission']) =>
    type !== 'tenant:delete' || member.may(type) || draft.rights.permissions.includes(type);
  return (
    <>
      <Field label="Name" errors={errorsAt(error, 'name')}>
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={200}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <QueryView query={permissions} what="permissions">
        {(offered) => (
          <>
            {draft.type === 'management' && draft.rights.rules.length === 0 ? null : (
              <RulesEditor
                rights={draft.rights}
                offered={offered}
                errors={error instanceof Problem ? error.fields : undefined}
                onChange={(rights) => onChange({ ...draft, rights })}
              />
            )}
            <Card>
              <CardBody>
                <PermissionBoxes
                  legend={draft.type === 'management' ? 'Permissions' : 'Permissions on all containers'}
                  offered={offered.filter(isOffered)}
                  chosen={draft.rights.permissions}
                  errors={errorsAt(error, 'permissions')}
                  onChange={(chosen) => onChange({ ...draft, rights: { ...draft.rights, permissions: chosen } })}
                />
              </CardBody>
            </Card>
          </>
        )}
      </QueryView>
      {draft.type === 'private' ? <DestinationsField {...editor} /> : null}
      {draft.type === 'public' ? <OriginsField {...editor} /> : null}
      {draft.type === 'management' ? <GrantLimitFields {...editor} /> : null}
      <ExpiryField {...editor} />
    </>
  );
}
