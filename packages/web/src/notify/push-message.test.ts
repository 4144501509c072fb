// What the service worker takes from a push, and where a tap leads.

import { describe, expect, it } from "vitest";
import { hrefOfPush, readPush } from "./push-message.ts";

const SHOW = { do: "show", tag: "t", event: "waiting", session: "a/b", title: "box: Night", body: "Needs you." };

describe("a push of a machine of the fleet", () => {
  it("leads to the session on that machine", () => {
    const message = readPush(JSON.stringify({ ...SHOW, machine: "box" }));
    expect(message).toMatchObject({ session: "a/b", machine: "box" });
    expect(hrefOfPush({ session: "a/b", machine: "box" })).toBe("/#/m/box/s/a%2Fb");
    expect(hrefOfPush({ session: "", machine: "box" })).toBe("/#/m/box/");
    expect(hrefOfPush({ session: "a" })).toBe("/#/s/a");
    expect(hrefOfPush({ session: "" })).toBe("/#/");
  });

  it("never has a name that would be another address", () => {
    for (const machine of ["../x", "box/s", "", "Box", 7, null, "a".repeat(33)])
      expect(readPush(JSON.stringify({ ...SHOW, machine })), String(machine)).not.toHaveProperty("machine");
  });
});
