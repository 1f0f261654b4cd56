import { Copy, Ellipsis, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../parts/controls/button';
import { Chip, FilterChip } from '../../parts/controls/chip';
import { CodeBlock } from '../../parts/controls/code-block';
import { CopiedId } from '../../parts/controls/copied-id';
import { CopyBlock } from '../../parts/controls/copy-block';
import { Field } from '../../parts/controls/field';
import { Menu } from '../../parts/controls/menu';
import { SaveBar } from '../../parts/controls/save-bar';
import { SearchBox } from '../../parts/controls/search-box';
import { TransformChoice } from '../../parts/access/transform-choice';
import type { Transform } from '../../parts/access/rights';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';

const nothing = () => undefined;

/** Shows what people press, choose and fill in. */
export function KitControls() {
  const [transform, setTransform] = useState<Transform>('mask');
  return (
    <>
      <Card title="Buttons">
        <CardBody>
          <div className="actions">
            <Button kind="main" icon={Plus}>
              New application
            </Button>
            <Button icon={Pencil}>Edit</Button>
            <Button kind="ghost">Discard</Button>
            <Button kind="plain">Save and show plaintext</Button>
            <Button kind="warns" icon={Trash2}>
              Delete
            </Button>
            <Button kind="bad">Delete the application</Button>
            <Button disabled>Not now</Button>
            <IconButton icon={Copy} label="Copy" />
          </div>
          <div className="actions">
            <Button isSmall kind="main">
              Small
            </Button>
            <Button isSmall>Small</Button>
            <Button isSmall kind="warns">
              Revoke
            </Button>
            <Menu
              label="More"
              trigger={(attributes) => (
                <button {...attributes} className="button icon-button" aria-label="More actions">
                  <Icon of={Ellipsis} />
                </button>
              )}
            >
              <button type="button" className="item">
                <Icon of={Pencil} />
                Rename
              </button>
              <button type="button" className="item warns">
                <Icon of={Trash2} />
                Delete
              </button>
            </Menu>
          </div>
        </CardBody>
      </Card>
      <div className="columns">
        <Card title="Fields">
          <CardBody>
            <SearchBox label="Search" placeholder="Paste anything" />
            <Field label="Name" hint="Shown in the audit log.">
              {(ids) => <input {...ids} defaultValue="Checkout" />}
            </Field>
            <Field label="Container" errors={['must begin with a slash']}>
              {(ids) => <input {...ids} className="mono" defaultValue="pci/" />}
            </Field>
            <Field label="Role">
              {(ids) => (
                <select {...ids}>
                  <option>Read only</option>
                </select>
              )}
            </Field>
          </CardBody>
        </Card>
        <Card title="Choices">
          <CardBody>
            <div>
              <TransformChoice label="What is shown" value={transform} onChange={setTransform} />
            </div>
            <div className="checks">
              <label className="check">
                <input type="checkbox" defaultChecked />
                read
              </label>
              <label className="check">
                <input type="checkbox" />
                use
              </label>
            </div>
            <div className="choices">
              <label className="choice">
                <input type="radio" name="kit" defaultChecked />
                <span>
                  <b>Private</b>
                  <span className="note">For servers.</span>
                </span>
              </label>
              <label className="choice">
                <input type="radio" name="kit" />
                <span>
                  <b>Public</b>
                  <span className="note">For web pages.</span>
                </span>
              </label>
            </div>
            <div className="chips">
              <FilterChip onRemove={nothing}>
                Container: <strong>/pci/</strong>
              </FilterChip>
              <FilterChip isNot onRemove={nothing}>
                not Outcome: <strong>denied</strong>
              </FilterChip>
              <Chip isDashed icon={Plus} onPress={nothing}>
                Filter
              </Chip>
              <Chip onPress={nothing}>7774</Chip>
            </div>
          </CardBody>
        </Card>
      </div>
      <Card title="Ids and code">
        <CardBody>
          <p>
            <CopiedId id="2c5f9f82-6020-49f7-9fe2-95318c12ed53" />{' '}
            <CopiedId id="2c5f9f82-6020-49f7-9fe2-95318c12ed53" isWhole />
          </p>
          <CopyBlock label="A command" text="strongroom keys list --rows" />
          <CodeBlock label="JSON" text={'{\n  "number": "XXXXXXXXXXXX7774"\n}'} />
        </CardBody>
      </Card>
      <div>
        <SaveBar action="Save" isBusy={false} onDiscard={nothing}>
          <strong>Edited</strong> and not saved.
        </SaveBar>
      </div>
    </>
  );
}
