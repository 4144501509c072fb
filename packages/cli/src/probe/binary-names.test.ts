import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namesInFile } from "./binary-names.ts";
import { scratchFolder } from "../fake-claude.fixture.ts";

const namesIn = async (text: string | Buffer) => {
  const file = join(scratchFolder(), "claude");
  writeFileSync(file, text);
  const names = await namesInFile(file);
  return {
    messages: Object.fromEntries(names.messages),
    unplaced: Object.fromEntries(names.unplaced),
    otherTypes: [...names.otherTypes],
    flags: [...names.flags],
  };
};
const NOTHING = { messages: {}, unplaced: {}, otherTypes: [], flags: [] };

test.each([
  ["a schema of today", 'p(()=>u({type:T("system"),subtype:T("hum"),a:o(),session_id:o()}))', "system/hum", "declared"],
  ["a schema of 2.1.37", 'b.object({type:b.literal("system"),subtype:b.literal("hum")})', "system/hum", "declared"],
  ["a list in a schema", 'u({type:T("result"),subtype:B(["hum"])})', "result/hum", "declared"],
  ["a line with its session", '{type:"system",subtype:"hum",x:f({a:1}),session_id:s()}', "system/hum", "sent"],
  ["a row of the transcript", '{type:"system",subtype:"hum",content:"session_id:"}', "system/hum", "named"],
  ["a request that is sent", '{type:"control_request",request:{subtype:"hum",a:1}}', "control_request/hum", "sent"],
  ["a request's schema", 'u({subtype:T("hum"),path:o()})', "control_request/hum", "declared"],
  ["a request that is handled", 'if(q.request.subtype==="hum")f()', "control_request/hum", "compared"],
  ["cases of a switch", 'switch(e.request.subtype){case"hum":{a("}")}}', "control_request/hum", "compared"],
  ["a line of another type", 'u({type:T("hum"),uuid:g(),session_id:o()})', "hum", "declared"],
  ["a sent line of another type", '{type:"hum",summary:d({a:2}),session_id:s(),uuid:r()}', "hum", "sent"],
])("%s is a message", async (_, code, name, evidence) => {
  const { messages } = await namesIn(`var a=1;${code};b()`);
  expect(messages).toEqual({ [name]: evidence });
});

test("the best evidence counts, wherever it is", async () => {
  const { messages } = await namesIn(
    '{type:"system",subtype:"hum",a:1} u({type:T("system"),subtype:T("hum")}) {type:"system",subtype:"hum",b:2}',
  );
  expect(messages).toEqual({ "system/hum": "declared" });
});

test("names without a sign of the protocol are set aside", async () => {
  expect(
    await namesIn('{type:"button",uuid:1} {type:"text",text:"hi"} if(e.type==="click"){} mytype:"no" x.type:"no"'),
  ).toEqual({ ...NOTHING, otherTypes: ["button", "text", "click"] });
  expect(await namesIn('typeof e.subtype==="string" {subtype:"success"} r.subtype==="error"')).toEqual(NOTHING);
});

test("a subtype alone is unplaced until its place is found", async () => {
  expect(await namesIn('if(e.subtype==="hum"||e.subtype!=="ho"){}')).toEqual({
    ...NOTHING,
    unplaced: { hum: "compared", ho: "compared" },
  });
  expect(await namesIn('if(e.subtype==="hum"){} {type:"system",subtype:"hum"}')).toEqual({
    ...NOTHING,
    messages: { "system/hum": "named" },
    otherTypes: [],
  });
});

test("finds flags that are declared or compared", async () => {
  const code =
    'x.option("-m, --model <m>","d").addOption(new j3("--max-turns <n>","d").hideHelp());run(["--not-ours"]);argv.includes("--bare")';
  expect((await namesIn(code)).flags).toEqual(["--model", "--max-turns", "--bare"]);
});

test("finds a name anywhere in a large file, and only once", async () => {
  const chunk = 4 * 1024 * 1024;
  const planted = 'u({type:T("system"),subtype:T("hum_0"),a:o()})';
  for (const shift of [0, 1, 20, planted.length - 1, planted.length, 200]) {
    const bytes = Buffer.alloc(2 * chunk + 100_000, 0xe9);
    [chunk, 2 * chunk, 2 * chunk + 60_000].forEach((at, index) =>
      bytes.write(planted.replace("0", String(index)), at - shift, "latin1"),
    );
    expect((await namesIn(bytes)).messages).toEqual({
      "system/hum_0": "declared",
      "system/hum_1": "declared",
      "system/hum_2": "declared",
    });
  }
});
