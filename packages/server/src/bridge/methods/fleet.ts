// The fleet of this machine. Commands on this machine change its files and then call `fleet/reload`.

import type { Handlers, Parts } from "../parts.ts";
import { Refusal } from "../../refusal.ts";

export const fleetMethods = ({ fleet, log }: Parts): Handlers<"fleet/status" | "fleet/reload"> => ({
  "fleet/status": () => {
    const status = fleet.status();
    return status === undefined ? {} : { fleet: status };
  },

  "fleet/reload": async (_params, { device }) => {
    log.info("fleet reloaded", { by: device.id });
    try {
      await fleet.reload();
    } catch (error) {
      log.error("fleet not started", { error: (error as Error).message });
      throw new Refusal("unsupported", (error as Error).message);
    }
    return { bus: fleet.status()?.bus ?? "none" };
  },
});
