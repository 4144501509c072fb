import { fileURLToPath } from "node:url";

/** The executable that stands in for `claude`. */
export const simulatorPath = fileURLToPath(new URL("../bin/quarterdeck-sim.js", import.meta.url));
