import { runPermissions } from "./main.ts";
process.exitCode = await runPermissions(process.argv.slice(2));
