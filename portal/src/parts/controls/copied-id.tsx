import { Copy } from 'lucide-react';
import { useState } from 'react';
import { Icon } from '../icon';

/** Shows an id that a click copies. A long id is shortened, but the title and the copied text contain the full id. */
export function CopiedId({ id, isWhole = false }: { readonly id: string; readonly isWhole?: boolean }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button
      type="button"
      className="copied-id"
      title={`Copy ${id}`}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
    >
      <span aria-hidden={isCopied}>{isWhole ? id : shortenId(id)}</span>
      <Icon of={Copy} isSmall />
      <span className="copied-note" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

export function shortenId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
