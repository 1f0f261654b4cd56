import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { permissionsQuery } from '../../api/applications';
import { PermissionBoxes } from '../../parts/access/permission-boxes';
import { isSameRights, type Rights } from '../../parts/access/rights';
import { RulesEditor } from '../../parts/access/rules-editor';
import { Button } from '../../parts/controls/button';
import { Card, CardBody } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';

/**
 * Edits rights that nobody has yet. Decisions are requested when the user submits the draft, not on every key press.
 */
export function DraftEditor({
  draft,
  onChange,
}: {
  readonly draft: Rights;
  readonly onChange: (rights: Rights) => void;
}) {
  const [edited, setEdited] = useState(draft);
  const permissions = useQuery(permissionsQuery('private'));
  return (
    <Card title="Draft" note="Of a private application. It is kept in this tab only.">
      <CardBody>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            onChange(edited);
          }}
        >
          <QueryView query={permissions} what="permissions">
            {(offered) => (
              <>
                <PermissionBoxes
                  legend="Permissions on all containers"
                  isShort
                  offered={offered}
                  chosen={edited.permissions}
                  onChange={(chosen) => setEdited({ ...edited, permissions: chosen })}
                />
                <RulesEditor rights={edited} offered={offered} onChange={setEdited} />
              </>
            )}
          </QueryView>
          <div>
            <Button type="submit" kind="main" disabled={isSameRights(edited, draft)}>
              Try the draft
            </Button>
          </div>
        </form>
      </CardBody>
    </Card>
  );
}
