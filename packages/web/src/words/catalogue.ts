// The shape of the catalogue: one area for each folder of the page, with the English texts as the model. A language that lacks a
// text, or has one with other parameters, does not compile.

export interface Catalogue {
  readonly actions: typeof import("./en/actions.ts").english;
  readonly app: typeof import("./en/app.ts").english;
  readonly appDialogs: typeof import("./en/app-dialogs.ts").english;
  readonly appNotes: typeof import("./en/app-notes.ts").english;
  readonly board: typeof import("./en/board.ts").english;
  readonly budget: typeof import("./en/budget.ts").english;
  readonly help: typeof import("./en/help.ts").english;
  readonly home: typeof import("./en/home.ts").english;
  readonly keys: typeof import("./en/keys.ts").english;
  readonly language: typeof import("./en/language.ts").english;
  readonly modes: typeof import("./en/modes.ts").english;
  readonly names: typeof import("./en/names.ts").english;
  readonly notify: typeof import("./en/notify.ts").english;
  readonly pairing: typeof import("./en/pairing.ts").english;
  readonly palette: typeof import("./en/palette.ts").english;
  readonly scopes: typeof import("./en/scopes.ts").english;
  readonly search: typeof import("./en/search.ts").english;
  readonly server: typeof import("./en/server.ts").english;
  readonly sessions: typeof import("./en/sessions.ts").english;
  readonly sessionsDevices: typeof import("./en/sessions-devices.ts").english;
  readonly sessionsDialogs: typeof import("./en/sessions-dialogs.ts").english;
  readonly sessionsRail: typeof import("./en/sessions-rail.ts").english;
  readonly sessionsStart: typeof import("./en/sessions-start.ts").english;
  readonly targets: typeof import("./en/targets.ts").english;
}
