import type { Client } from "@quarterdeck/client";
import { may } from "../store/may.ts";
import { allowWith, type Asked, type PermissionUpdate } from "./asked.ts";

/** Whether this device may send the update with its answer to this request. */
export const mayUpdate = (client: Client, asked: Asked, update: PermissionUpdate): boolean =>
  may(client, "session/respond", allowWith(update), { suggested: asked.permission_suggestions ?? [] });
