// A certificate that signs itself, made as docs/fleet.md says.

import { execFileSync } from "node:child_process";

export const certify = (cert: string, key: string, ...more: readonly string[]): void =>
  void execFileSync(
    "openssl",
    [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=deck -keyout".split(" "),
      key,
      "-out",
      cert,
      ...more,
    ],
    { stdio: "ignore" },
  );
