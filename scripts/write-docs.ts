// `npm run docs`: writes the generated parts of docs/protocol.md, docs/bridge.md, docs/permissions.md,
// docs/coverage.md and docs/languages.md, and docs/schemas/bridge.json.

import { readFileSync, writeFileSync } from "node:fs";
import { bridgeDocument } from "./bridge-document.ts";
import { vectorsFile } from "./bridge-meanings.ts";
import { bridgeSchema, typesSchema } from "./bridge-schema.ts";
import { coverageDocument } from "./coverage-document.ts";
import { permissionsDocument } from "./permissions-document.ts";
import { protocolDocument } from "./protocol-table.ts";
import { wordsDocument } from "./words-document.ts";

const rewrite = (file: string, written: (current: string) => string): void => {
  const path = new URL(`../docs/${file}`, import.meta.url);
  writeFileSync(path, written(readFileSync(path, "utf8")));
};

rewrite("protocol.md", protocolDocument);
rewrite("bridge.md", bridgeDocument);
rewrite("permissions.md", permissionsDocument);
rewrite("coverage.md", coverageDocument);
rewrite("languages.md", wordsDocument);
writeFileSync(new URL("../docs/schemas/bridge.json", import.meta.url), bridgeSchema());
writeFileSync(new URL("../docs/schemas/canonical-json.json", import.meta.url), vectorsFile());
writeFileSync(new URL("../docs/schemas/bridge.schema.json", import.meta.url), typesSchema());
