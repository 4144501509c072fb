#!/usr/bin/env -S node --conditions=source
// Plain JavaScript, to turn the compile cache on before the first TypeScript file. Then Node finds the stripped sources
// there and never loads its type stripper, which costs more than the rest of the start. An old Node runs this file too.
// A named import of something that it lacks would end the program before it could say so.
import * as nodeModule from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `quarterdeck-sim needs Node 22.18 or newer and this is Node ${process.versions.node}; in the repository, \`npx quarterdeck-sim\` uses the Node that is pinned there.`,
  );
  process.exitCode = 1;
} else {
  nodeModule.enableCompileCache();
  await import("#quarterdeck-sim");
}
