import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers line up at the right. */
  readonly isNumber?: boolean;
  /** Takes the space that is left. */
  readonly isWide?: boolean;
}

/** A table that becomes a list of cards on a small screen. */
export function DataTable<Row>(table: {
  /** What the table holds, for readers who do not see it. */
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
