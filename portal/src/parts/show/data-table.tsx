import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** The column takes the remaining width. */
  readonly isWide?: boolean;
  /** The column has buttons, so it needs no visible header. */
  readonly isActions?: boolean;
  /**
   * Where the value is on a small screen, instead of in a line of its own with its header: right of the title, below the
   * title, right of what is below the title, or nowhere.
   */
  readonly narrow?: 'end' | 'below' | 'below-end' | 'hidden';
}

interface Table<Row> {
  /** Describes the table for screen readers. */
  readonly caption: string;
  /** On a small screen, each row becomes a card, and the first column is its title. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isChosen?: (row: Row) => boolean;
}

/** Shows a table inside a card. */
export function DataTable<Row>(table: Table<Row>) {
  const { columns, rows, keyOf, isChosen } = table;
  return (
    <div className="table-frame">
      <table className={columns.some(({ narrow }) => narrow !== undefined) ? 'compact' : undefined}>
        <caption className="unseen">{table.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classOf(column)}>
                {column.isActions === true ? <span className="unseen">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isChosen?.(row) === true ? 'chosen' : undefined}>
              {columns.map((column) => (
                <td key={column.header} data-label={column.header} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows a table in a card of its own. */
export function TableCard<Row>(table: Table<Row>) {
  return (
    <div className="card">
      <DataTable {...table} />
    </div>
  );
}

function classOf<Row>({ isNumber, isWide, isActions, narrow }: Column<Row>): string | undefined {
  const names = [
    narrow === undefined ? '' : `narrow-${narrow}`,
    isNumber === true ? 'number' : '',
    isWide === true ? 'wide' : '',
    isActions === true ? 'number actions-cell' : '',
  ].filter((name) => name !== '');
  return names.length === 0 ? undefined : names.join(' ');
}
