// The shape of the catalogue: one area for each folder of the page, with the English texts as the model. A text with
// other parameters than the English text does not compile. `format` and `worker` are not in it: the first
// load and the service worker have them in all languages. The file of a language must not import the first load,
// because the first load waits for it.

import type { Translation } from "./translation.ts";

/** What another language has. The rest is English. */
export type TranslatedCatalogue = { readonly [Area in keyof Catalogue]?: Translation<Catalogue[Area]> };

export interface Catalogue {
  readonly actions: typeof import("./en/actions.ts").english;
  readonly app: typeof import("./en/app.ts").english;
  readonly appDialogs: typeof import("./en/app-dialogs.ts").english;
  readonly appNotes: typeof import("./en/app-notes.ts").english;
  readonly board: typeof import("./en/board.ts").english;
  readonly budget: typeof import("./en/budget.ts").english;
  readonly composer: typeof import("./en/composer.ts").english;
  readonly composerExtras: typeof import("./en/composer-extras.ts").english;
  readonly content: typeof import("./en/content.ts").english;
  readonly contentDiagrams: typeof import("./en/content-diagrams.ts").english;
  readonly contentMarks: typeof import("./en/content-marks.ts").english;
  readonly fleet: typeof import("./en/fleet.ts").english;
  readonly help: typeof import("./en/help.ts").english;
  readonly home: typeof import("./en/home.ts").english;
  readonly keys: typeof import("./en/keys.ts").english;
  readonly language: typeof import("./en/language.ts").english;
  readonly modes: typeof import("./en/modes.ts").english;
  readonly names: typeof import("./en/names.ts").english;
  readonly notify: typeof import("./en/notify.ts").english;
  readonly pairing: typeof import("./en/pairing.ts").english;
  readonly palette: typeof import("./en/palette.ts").english;
  readonly parts: typeof import("./en/parts.ts").english;
  readonly replay: typeof import("./en/replay.ts").english;
  readonly requests: typeof import("./en/requests.ts").english;
  readonly rules: typeof import("./en/rules.ts").english;
  readonly scopes: typeof import("./en/scopes.ts").english;
  readonly search: typeof import("./en/search.ts").english;
  readonly sentences: typeof import("./en/sentences.ts").english;
  readonly server: typeof import("./en/server.ts").english;
  readonly sessions: typeof import("./en/sessions.ts").english;
  readonly sessionsDevices: typeof import("./en/sessions-devices.ts").english;
  readonly sessionsDialogs: typeof import("./en/sessions-dialogs.ts").english;
  readonly sessionsRail: typeof import("./en/sessions-rail.ts").english;
  readonly sessionsStart: typeof import("./en/sessions-start.ts").english;
  readonly targets: typeof import("./en/targets.ts").english;
  readonly timeline: typeof import("./en/timeline.ts").english;
  readonly timelineRare: typeof import("./en/timeline-rare.ts").english;
  readonly timelineRareTools: typeof import("./en/timeline-rare-tools.ts").english;
  readonly timelineTools: typeof import("./en/timeline-tools.ts").english;
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
