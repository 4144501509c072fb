// A table of figures. On a narrow screen it scrolls by itself, and its minor columns are hidden.

import type { ReactNode } from "react";

interface CostTableProps {
  readonly label: string;
  readonly columns: readonly { readonly title: string; readonly isMinor?: boolean }[];
  /** The rows. */
  readonly children: ReactNode;
}

export const CostTable = ({ label, columns, children }: CostTableProps) => (
  <div className="cost-table-box" tabIndex={0} role="region" aria-label={label}>
    <table className="cost-table">
      <thead>
        <tr>
          {columns.map(({ title, isMinor }) => (
            <th key={title} scope="col" className={isMinor === true ? "cost-minor" : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
