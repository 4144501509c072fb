export { shownPath, splitPath } from "../words/paths.ts";
