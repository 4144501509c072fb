// The titles of the panel's tabs, by their ids.

export const english = {
  changes: "Changes",
  git: "Git",
  files: "Files",
  tasks: "Tasks",
  background: "Background",
  context: "Context",
  cost: "Cost",
  mcp: "MCP",
  hooks: "Hooks",
  wire: "Wire",
  settings: "Settings",
  overview: "Overview",
};
