// For the command `run`, which shows requests and folders like the server does, but without a server.

export { containedPaths, isInside } from "./contained-path.ts";
export { reportOf } from "./folder-inspection.ts";
export { previewOf } from "./request-preview.ts";
