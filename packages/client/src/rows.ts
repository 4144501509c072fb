// An entry point for pages: what menus and replays read of rows. Apart from `content`, because the first screen does not need it.

export { playClock } from "@quarterdeck/session/play-clock";
export type { PlayClock } from "@quarterdeck/session/play-clock";
export { copiedContent } from "@quarterdeck/session/row-kinds";
