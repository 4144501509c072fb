export { builtPage, environmentNames, startServer } from "./start-server.ts";
export type { RunningServer, ServerParts, ServerSettings } from "./start-server.ts";
export { isLoggedIn } from "./agent.ts";
export { openAccess } from "./access/access.ts";
export { refuseOpenDoors } from "./access/doors.ts";
export { writePrivateFile } from "./access/private-file.ts";
export { ServerError } from "./server-error.ts";
