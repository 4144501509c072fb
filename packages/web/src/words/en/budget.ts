// Budgets in dollars.

export const english = {
  noLimit: "no limit",
  save: "Save",
  invalid: "Enter an amount above zero, such as 5 or 2.50.",
  daySpent: (share: string) => `${share} of today's budget is spent:`,
  sessionSpent: (share: string) => `${share} of the budget of this session is spent:`,
  dayAll: "All of today's budget is spent:",
  sessionAll: "All of the budget of this session is spent:",
  spentOf: (spent: string, limit: string) => `${spent} of ${limit}.`,
  stopped: "No messages are sent until it is raised. What you write stays here.",
  onlyAdmin: "Only an admin can raise it.",
  notHere: "This device cannot raise it.",
  raise: "Raise…",
  perDay: "All sessions, per day ($)",
  perSession: "Budget of this session ($)",
};
