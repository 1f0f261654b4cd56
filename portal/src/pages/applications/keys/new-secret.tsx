import { CopyBlock } from '../../../parts/copy-block';

/** The secret of a key, which the vault does not keep. */
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
