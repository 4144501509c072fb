// For the command `run`, which shows requests and folders as the server does, without a server.

export { containedPaths, isInside } from "./contained-path.ts";
export { reportOf } from "./folder-inspection.ts";
export { previewOf } from "./request-preview.ts";
