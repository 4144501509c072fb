import { BridgeError } from "./bridge-error.ts";
import type { Client } from "./contract.ts";

/** Resumes a session that has no process. A person who chooses a model or a mode there wants to continue. */
export const withProcess = async (client: Client, session: string, work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== "not-live") throw error;
    await client.command("sessions/resume", { session });
    await work();
  }
};
