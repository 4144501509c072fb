#!/usr/bin/env -S node --conditions=source
// Plain JavaScript on purpose: with the compile cache on before the first TypeScript file, Node finds the stripped sources
// there and never loads its type stripper, which costs more than all the rest of the start.
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("#quarterdeck-sim");
