// `npm run docs`: writes the generated parts of docs/protocol.md.

import { readFileSync, writeFileSync } from "node:fs";
import { protocolDocument } from "./protocol-table.ts";

const path = new URL("../docs/protocol.md", import.meta.url);
writeFileSync(path, protocolDocument(readFileSync(path, "utf8")));
