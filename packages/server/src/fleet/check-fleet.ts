// How the fleet looks from this machine: version, reach, clock and permissions.

import { FleetError, inboxPrefix, isAtLeast, OLDEST_NATS } from "@quarterdeck/fleet";
import { askHub, asNode, mustBeMember } from "./as-node.ts";

export interface FleetCheck {
  readonly about: string;
  readonly ok: boolean;
  readonly text: string;
}

export const checkFleet = async (dataDir: string): Promise<readonly FleetCheck[]> => {
  const node = mustBeMember(dataDir);
  const checks: FleetCheck[] = [];
  const add = (about: string, ok: boolean, text: string): void => void checks.push({ about, ok, text });
  try {
    await asNode(node, async (bus) => {
      add("reach", true, `${node.url} answers and accepts the key of ${node.name}`);
      const { version, isOpenToAll } = bus.server;
      const isNew = isAtLeast(version, OLDEST_NATS);
      const isAccepted = isAtLeast(version, node.oldestNats ?? OLDEST_NATS);
      add(
        "version",
        isAccepted,
        `nats-server ${version}${isNew ? "" : `, older than ${OLDEST_NATS}`}${!isNew && isAccepted ? " (accepted)" : ""}`,
      );
      const wrong = isOpenToAll ? ["anyone can connect"] : [];
      for (const subject of [
        ">",
        "qd.>",
        "qd.f.>",
        "_INBOX.>",
        "$SYS.>",
        ...(node.hub === node.name ? [] : [`${inboxPrefix(node.hub)}.>`]),
      ])
        if (await bus.maySubscribe(subject)) wrong.push(`this machine can read ${subject}`);
      for (const subject of ["qd.p.someone-else", "qd.f.someone-else.x.x"])
        if (await bus.mayPublish(subject)) wrong.push(`this machine can write ${subject}`);
      add(
        "permissions",
        wrong.length === 0,
        wrong.length === 0 ? "only the subjects of this machine" : wrong.join("; "),
      );
      if (node.hub === node.name) return;
      try {
        const sent = Date.now();
        const theirs = Number(await askHub(bus, node, { kind: "time" }));
        const [ms, off] = [Date.now() - sent, Math.round(theirs - (sent + Date.now()) / 2)];
        add("hub", true, `${node.hub} answers in ${String(ms)} ms`);
        // Nothing depends on equal clocks. Times in lists look wrong.
        add(
          "clock",
          true,
          Math.abs(off) < 2000
            ? "as on the hub"
            : `differs from the hub's by ${String(Math.round(off / 1000))} s; nothing depends on it`,
        );
      } catch (error) {
        add("hub", false, `${node.hub} does not answer: ${(error as Error).message}`);
      }
    });
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    add("reach", false, `${node.url}: ${error.message}`);
  }
  return checks;
};
