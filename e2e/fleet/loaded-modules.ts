// Preloaded into a program (`node --import`): writes the address of each module that it loads into a file, one a line.

import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

const file = process.env["QUARTERDECK_LOADED_MODULES"];
if (file !== undefined)
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`);
      return next(url, context);
    },
  });
