import { describe, expect, it } from "vitest";
import { hrefOf, pairingCodeOf, parseRoute, rulesHref } from "./route.ts";

describe("addresses", () => {
  it.each([
    ["", { screen: "home" }],
    ["#/", { screen: "home" }],
    ["#/s/abc", { screen: "session", id: "abc" }],
    ["#/s/abc/", { screen: "session", id: "abc" }],
    ["#/s/abc/r/tool%2Ft1", { screen: "session", id: "abc", target: { rowId: "tool/t1" } }],
    ["#/s/abc/r/x/y", { screen: "home" }],
    ["#/s/", { screen: "home" }],
    ["#/rules", { screen: "rules", where: {}, audit: false }],
    ["#/rules/", { screen: "rules", where: {}, audit: false }],
    ["#/rules/f/%2Fhome%2Fme", { screen: "rules", where: { cwd: "/home/me" }, audit: false }],
    ["#/rules/s/abc", { screen: "rules", where: { session: "abc" }, audit: false }],
    ["#/rules/x/abc", { screen: "rules", where: {}, audit: false }],
    ["#/rules/audit", { screen: "rules", where: {}, audit: true }],
    ["#/search", { screen: "search", query: "" }],
    ["#/search?q=a%2Fb&kind=prompt", { screen: "search", query: "q=a%2Fb&kind=prompt" }],
    ["#/searching", { screen: "home" }],
    ["#/s/a%2Fb/replay", { screen: "replay", id: "a/b" }],
    ["#/s/abc/replay/x", { screen: "session", id: "abc" }],
    ["#/elsewhere/abc", { screen: "home" }],
    ["#/s/100%", { screen: "session", id: "100%" }],
  ])("%s", (hash, route) => expect(parseRoute(hash)).toEqual(route));

  it("can be parsed back to their parts", () => {
    for (const id of ["abc", "a/b", "ü %", "#"])
      for (const rowId of ["tool/1", "text/msg_1/0", "?&="])
        expect(parseRoute(hrefOf(id, rowId))).toEqual({ screen: "session", id, target: { rowId } });
  });

  it("lead back to the rules they were made of", () => {
    for (const where of [{}, { cwd: "/a b/%/#" }, { session: "s/1" }])
      for (const audit of [true, false])
        expect(parseRoute(rulesHref(where, audit))).toEqual({ screen: "rules", where, audit });
  });

  it("carry a pairing code", () => {
    expect(pairingCodeOf("#pair=AbC-_1")).toBe("AbC-_1");
    expect(pairingCodeOf("#/s/pair=x")).toBeUndefined();
  });
});
