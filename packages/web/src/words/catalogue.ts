// The shape of the catalogue: one area for each folder of the page, with the English texts as the model. A language that lacks a
// text, or has one with other parameters, does not compile.

export interface Catalogue {
  readonly language: typeof import("./en/language.ts").english;
  readonly pairing: typeof import("./en/pairing.ts").english;
  readonly replay: typeof import("./en/replay.ts").english;
  readonly workbench: typeof import("./en/workbench.ts").english;
  readonly workbenchBackground: typeof import("./en/workbench-background.ts").english;
  readonly workbenchChanges: typeof import("./en/workbench-changes.ts").english;
  readonly workbenchContext: typeof import("./en/workbench-context.ts").english;
  readonly workbenchCost: typeof import("./en/workbench-cost.ts").english;
  readonly workbenchFiles: typeof import("./en/workbench-files.ts").english;
  readonly workbenchGit: typeof import("./en/workbench-git.ts").english;
  readonly workbenchHooks: typeof import("./en/workbench-hooks.ts").english;
  readonly workbenchMcp: typeof import("./en/workbench-mcp.ts").english;
  readonly workbenchRewind: typeof import("./en/workbench-rewind.ts").english;
  readonly workbenchSettings: typeof import("./en/workbench-settings.ts").english;
  readonly workbenchTabs: typeof import("./en/workbench-tabs.ts").english;
  readonly workbenchTasks: typeof import("./en/workbench-tasks.ts").english;
  readonly workbenchWire: typeof import("./en/workbench-wire.ts").english;
}
