import { expect, it } from "vitest";
import { decodeSettings } from "./settings.ts";

it("keeps what it knows and takes defaults for the rest", () => {
  const defaults = decodeSettings(undefined);
  expect(defaults).toEqual({
    theme: "system",
    density: "comfortable",
    size: "normal",
    enter: "sends",
    notify: "off",
  });
  expect(decodeSettings({ theme: "light", density: "roomy", other: 1 })).toEqual({ ...defaults, theme: "light" });
  expect(decodeSettings("no")).toEqual(defaults);
});
