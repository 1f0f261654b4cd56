import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button';

/** Shows text to copy: a command, or a secret that is shown once. */
export function CopyBlock({
  text,
  label,
  onCopy,
}: {
  readonly text: string;
  readonly label: string;
  /** Called when the text was copied, with the button or by hand. */
  readonly onCopy?: () => void;
}) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopy?.();
  };
  return (
    <div className="copy-block">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A block that scrolls has to be reachable by keyboard. */}
      <pre tabIndex={0} aria-label={label} onCopy={onCopy}>
        {text}
      </pre>
      <Button isSmall icon={isCopied ? Check : Copy} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
