// `quarterdeck service`: prints a file that lets the machine start the server by itself. It writes no file. The user
// decides where to put it, and the file says how.

import { homedir } from "node:os";
import { join } from "node:path";

export interface ServiceOptions {
  readonly kind: "systemd" | "launchd";
  /** The program and its first arguments. */
  readonly command: readonly string[];
  /** Flags for `serve`. */
  readonly flags: readonly string[];
  readonly path: string;
  readonly finishTurnsMs: number;
}

export const serviceFile = (options: ServiceOptions): string =>
  options.kind === "systemd" ? systemdUnit(options) : launchdPlist(options);

/** A journal keeps its output, so no link is printed, and no browser is opened. */
const argumentsOf = ({ command, flags }: ServiceOptions): string[] => [
  ...command,
  "serve",
  "--no-open",
  "--no-link",
  ...flags,
];

const systemdUnit = (options: ServiceOptions): string => `# Save as ~/.config/systemd/user/quarterdeck.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now quarterdeck
#   loginctl enable-linger        # to run while you are not logged in
#   quarterdeck devices pair      # prints a pairing link
[Unit]
Description=Quarterdeck, a host for the Claude Code CLI
After=network.target

[Service]
ExecStart=${argumentsOf(options).map(systemdQuoted).join(" ")}
Environment=${systemdQuoted(`PATH=${options.path}`)}
# The server shares this folder unless --root names others.
WorkingDirectory=%h
Restart=on-failure
RestartSec=2
# The server ends its sessions itself, and lets their turns finish first.
KillMode=mixed
TimeoutStopSec=${String(Math.ceil(options.finishTurnsMs / 1000) + 30)}
UMask=0077

[Install]
WantedBy=default.target
`;

const launchdPlist = (options: ServiceOptions): string => `<?xml version="1.0" encoding="UTF-8"?>
<!-- Save as ~/Library/LaunchAgents/quarterdeck.plist, then:
       launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/quarterdeck.plist
       quarterdeck devices pair
-->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>quarterdeck</string>
  <key>ProgramArguments</key>
  <array>
${argumentsOf(options)
  .map((argument) => `    <string>${xml(argument)}</string>\n`)
  .join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${xml(options.path)}</string></dict>
  <!-- launchd starts programs in /, and the server shares the folder in which it starts. -->
  <key>WorkingDirectory</key><string>${xml(homedir())}</string>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>${String(Math.ceil(options.finishTurnsMs / 1000) + 30)}</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key><string>${xml(join(homedir(), "Library", "Logs", "quarterdeck.log"))}</string>
</dict>
</plist>
`;

/** systemd.syntax(7): C-style escapes in double quotes. `%` and `$` have a special meaning. */
const systemdQuoted = (text: string): string => {
  const plain = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@%+=:,./$-]+$/u.test(plain)) return plain;
  return `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
};

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
