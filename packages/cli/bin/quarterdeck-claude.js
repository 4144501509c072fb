#!/usr/bin/env -S node --conditions=source
// `quarterdeck claude` as one program, for settings that want the path of Claude Code. Plain JavaScript, like quarterdeck.js.
import { fileURLToPath } from "node:url";

process.argv.splice(1, 1, fileURLToPath(new URL("quarterdeck.js", import.meta.url)), "claude");
await import("./quarterdeck.js");
