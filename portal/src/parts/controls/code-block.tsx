/** Shows preformatted code that may scroll. */
export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A block that scrolls has to be reachable by keyboard.
    <pre className="code-block" tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}
