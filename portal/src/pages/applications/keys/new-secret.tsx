import { CopyBlock } from '../../../parts/copy-block';

/** Shows the secret of a new key. The vault does not store it, so it cannot be shown again. */
export function NewSecret({ secret }: { readonly secret: string }) {
  return (
    <div className="new-secret">
      <p>
        <strong>Copy the key now.</strong> It is shown only once: the vault keeps only a hash of it.
      </p>
      <CopyBlock text={secret} label="Secret of the new key" />
    </div>
  );
}
