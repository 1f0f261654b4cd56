const widths = [1, 2, 3] as const;

/** Shows bones in the shape of what comes. They appear only if it takes longer than a fifth of a second. */
export function Loading({ what, rows = 4 }: { readonly what: string; readonly rows?: number }) {
  return (
    <div className="loading" role="status" aria-busy="true">
      <span className="unseen">Loading {what} …</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="bones" aria-hidden="true">
          <span className="bone" />
          {widths.map((width) => (
            <span key={width} className={`bone bone-${((width + row) % widths.length) + 1}`} />
          ))}
        </span>
      ))}
    </div>
  );
}
