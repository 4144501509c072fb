#!/usr/bin/env -S node --conditions=source
// Plain JavaScript on purpose: with the compile cache on before the first TypeScript file, Node finds the stripped sources
// there and never loads its type stripper, which costs more than all the rest of the start. It is also the one file that
// an old Node gets to run, and a named import of what that Node lacks would end it before it could say so.
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
