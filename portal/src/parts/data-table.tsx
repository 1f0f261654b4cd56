import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  /** The column takes the remaining width. */
  readonly isWide?: boolean;
}

/** Shows a table that becomes a list of cards on a small screen. */
export function DataTable<Row>(table: {
  /** Describes the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isChosen?: (row: Row) => boolean;
}) {
  const { columns, rows, keyOf, isChosen } = table;
  return (
    <div className="table-frame">
      <table>
        <caption className="unseen">{table.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={classOf(column)}>
                {column.header}
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

function classOf<Row>({ isNumber, isWide }: Column<Row>): string | undefined {
  const names = [isNumber === true ? 'number' : '', isWide === true ? 'wide' : ''].filter((name) => name !== '');
  return names.length === 0 ? undefined : names.join(' ');
}
