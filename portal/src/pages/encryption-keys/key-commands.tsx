import { CopyBlock } from '../../parts/controls/copy-block';
import { Card, CardBody } from '../../parts/page/card';

/** Shows the commands with which an operator manages the keys. */
export function KeyCommands({ tenantId }: { readonly tenantId: string }) {
  const commands = [
    ['See every key, and how many rows each encrypts', `strongroom keys list --tenant ${tenantId} --rows`],
    ['Encrypt new data with a new data key', `strongroom keys rotate data --tenant ${tenantId}`],
    ['Re-encrypt what is stored with the newest data key', `strongroom keys reencrypt --tenant ${tenantId}`],
    ['Destroy data keys that nothing uses any more', `strongroom keys retire --tenant ${tenantId}`],
    ['Rewrap all keys of the vault after a change of the root key', 'strongroom keys rotate root'],
  ] as const;
  return (
    <Card title="Commands" note="Keys are changed by an operator of the vault, on one of its servers.">
      <CardBody>
        <ul className="key-commands">
          {commands.map(([purpose, command]) => (
            <li key={command}>
              <p>{purpose}</p>
              <CopyBlock label={purpose} text={command} />
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}
