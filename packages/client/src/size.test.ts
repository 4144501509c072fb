import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, it } from "vitest";

/** Everything that a page would load at run time. */
const bundleOf = async (entry: string): Promise<string> => {
  const built = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["source"] },
    build: {
      write: false,
      target: "es2024",
      minify: "oxc",
      lib: { entry: fileURLToPath(new URL(entry, import.meta.url)), formats: ["es"] },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((each) => ("output" in each ? each.output : []));
  return outputs.map((output) => (output.type === "chunk" ? output.code : "")).join("\n");
};

it("[Z1] is below 12 kB", async () => {
  const code = await bundleOf("./index.ts");
  expect(code).toContain("quarterdeck-bridge-1");
  // The bundle is complete: it has no import that would be loaded separately.
  expect(code).not.toMatch(/\bimport\s*["'{*]/);
  const { length } = gzipSync(code, { level: 9 });
  console.log(`the client: ${code.length} bytes minified, ${length} compressed`);
  expect(length).toBeLessThan(12_000);
});
