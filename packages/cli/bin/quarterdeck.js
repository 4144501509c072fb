#!/usr/bin/env -S node --conditions=source
// Plain JavaScript on purpose: the one file that an old Node gets to run. A named import of what that Node lacks would end it
// before it could say so.
import * as nodeModule from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `quarterdeck needs Node 22.18 or newer and this is Node ${process.versions.node}. Install a newer one (https://nodejs.org);\nin the repository, \`npm start\` and \`npx quarterdeck\` use the Node that is pinned there.`,
  );
  process.exitCode = 1;
} else {
  nodeModule.enableCompileCache();
  await import("#quarterdeck");
}
