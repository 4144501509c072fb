import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { serviceFile } from "./service.ts";

const options = {
  command: ["/usr/bin/node", "/opt/quarter deck/quarterdeck.js"],
  flags: ["--port", "8000", "--root", '/a "b" 100% $HOME'],
  path: "/usr/bin:/home/me/bin",
  finishTurnsMs: 10_000,
};

describe("a service file", () => {
  it("is a unit that systemd reads correctly", () => {
    const unit = serviceFile({ ...options, kind: "systemd" });
    expect(unit).toContain(
      'ExecStart=/usr/bin/node "/opt/quarter deck/quarterdeck.js" serve --no-open --no-link --port 8000 --root "/a \\"b\\" 100%% $$HOME"\n',
    );
    expect(unit).toContain("Environment=PATH=/usr/bin:/home/me/bin\n");
    expect(unit).toContain("TimeoutStopSec=40\n");
    expect(unit).toContain("WorkingDirectory=%h\n");
  });

  it("is a list of properties for launchd", () => {
    const plist = serviceFile({ ...options, kind: "launchd", flags: ["--root", "/a<b>&"] });
    expect(plist).toContain(
      "    <string>--no-link</string>\n    <string>--root</string>\n    <string>/a&lt;b&gt;&amp;</string>\n",
    );
    // launchd starts programs in /, and the server shares the folder in which it starts.
    expect(plist).toContain(`<key>WorkingDirectory</key><string>${homedir()}</string>`);
  });
});
