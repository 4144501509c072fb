export { environmentNames, startServer } from "./start-server.ts";
export type { RunningServer } from "./start-server.ts";
export type { ServerParts, ServerSettings } from "./server-settings.ts";
export { builtPage } from "./shown-folders.ts";
export { isLoggedIn } from "./agent.ts";
export { openAccess } from "./access/access.ts";
export { refuseOpenDoors } from "./access/doors.ts";
export { writePrivateFile } from "./access/private-file.ts";
export { ServerError } from "./server-error.ts";
