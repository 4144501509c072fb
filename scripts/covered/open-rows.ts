// Rows of docs/coverage.md that are open, and who builds them. The list is empty when all is done.

export const OPEN_ROWS: readonly string[] = [];
