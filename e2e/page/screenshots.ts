// `npm run screenshots [-- <pattern of names> [<folder>]]`: every screen of the page, on a desk and on a phone, dark and light, into
// docs/images. It uses the real server with the simulator. The clock always begins at the same time, folders have fixed names, and nothing moves.
// Another folder, for a look at the work, also gets a narrow desk and a phone on its side.

import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ParamsOf } from "@quarterdeck/client";
import { freePort } from "@quarterdeck/test-kit/nats-server";
import type { BrowserContextOptions, Page } from "playwright-core";
import { makePlace } from "../bridge/server-process.ts";
import type { Place } from "../bridge/server-process.ts";
import { Machine } from "../fleet/machines.ts";
import { workerChromium } from "../client/launch-chromium.ts";
import { Deck, DESK, PHONE } from "./deck.ts";
import { allowIn, composerOf, dockOf, rowWith, settled } from "./journey-words.ts";
import { paletted } from "./palette-png.ts";
import { ELICITATION, makeProject, STORY } from "./screenshot-story.ts";
import { programWords } from "@quarterdeck/test-kit/programs";

const [, , wanted = "", otherFolder] = process.argv;
const IMAGES = otherFolder ?? fileURLToPath(new URL("../../docs/images/", import.meta.url));
const BEGIN = Date.parse("2026-03-10T09:12:00Z");
/** Where the pictures say that the work is. */
const SHOWN_HOME = "/home/ada";

interface Look {
  readonly name: string;
  readonly isPhone: boolean;
  readonly options: BrowserContextOptions;
}
const LOOKS: readonly Look[] = (["dark", "light"] as const).flatMap((colorScheme) => [
  { name: `desk-${colorScheme}`, isPhone: false, options: { ...DESK, colorScheme } },
  { name: `phone-${colorScheme}`, isPhone: true, options: { ...PHONE, colorScheme } },
  ...(otherFolder === undefined
    ? []
    : [
        {
          ...{ name: `narrow-${colorScheme}`, isPhone: false },
          options: { viewport: { width: 1024, height: 768 }, colorScheme },
        },
        {
          ...{ name: `side-${colorScheme}`, isPhone: true },
          options: { ...PHONE, viewport: { width: 844, height: 390 }, colorScheme },
        },
      ]),
]);

/** Ids of sessions that stand as a picture needs them. */
interface Sessions {
  readonly tools: string;
  readonly bash: string;
  readonly edit: string;
  readonly question: string;
  readonly plan: string;
  readonly died: string;
}

interface Scene<S = Sessions> {
  readonly name: string;
  /** Not on a phone. */
  readonly deskOnly?: boolean;
  readonly arrange: (at: { deck: Deck; page: Page; sessions: S; isPhone: boolean }) => Promise<void>;
  /** Leaves the other pictures as they were. */
  readonly clear?: (deck: Deck) => Promise<void>;
}

const start = async (
  { client, place }: Pick<Deck, "client" | "place">,
  title: string,
  prompt: string,
  more: Pick<ParamsOf<"sessions/start">, "settings"> = {},
): Promise<string> => {
  const cwd = join(place.cwd, "harbor");
  return (await client.command("sessions/start", { cwd, title, prompt, ...more })).session.id;
};

/** The session of that id, standing at its end. */
const show = async ({ deck, page }: { deck: Deck; page: Page }, id: string): Promise<void> => {
  await deck.goTo(page, id);
  await page.locator("[data-row]").last().waitFor();
};

/** A tab of the workbench, beside the conversation or as a sheet. */
const tab = (name: string, title: string): Scene => ({
  name,
  arrange: async (at) => {
    await show(at, at.sessions.tools);
    const found = at.page.getByRole("tab", { name: new RegExp(`^${title}`, "u") });
    const opener = at.isPhone ? /^Changes:/u : "Show workbench";
    if (!(await found.isVisible())) await at.page.getByRole("button", { name: opener }).click();
    await found.click();
    await at.page.getByRole("tabpanel", { name: title }).waitFor();
    await at.page.waitForFunction(() => document.querySelector(".bench [aria-busy='true']") === null);
  },
});

/** A screen with an address of its own. */
const screen = (name: string, address: string, ready: string): Scene<unknown> => ({
  name,
  arrange: async ({ deck, page }) => {
    await page.goto(`${deck.server.url}/${address}`);
    await page.getByRole("main").getByText(ready).first().waitFor();
  },
});

const SCENES: readonly Scene[] = [
  {
    name: "home",
    arrange: async ({ deck, page }) => {
      await page.goto(`${deck.server.url}/#/`);
      await page.getByRole("main").getByRole("button", { name: "New session" }).waitFor();
    },
  },
  {
    name: "tools",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await rowWith(at.page, "It agrees").waitFor();
    },
  },
  {
    name: "tools-above",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await at.page.waitForFunction(
        () => {
          const list = document.querySelector(".timeline-list")!;
          list.scrollTop = 0;
          return list.textContent.includes("Find out why") && list.scrollTop === 0;
        },
        undefined,
        { polling: 100 },
      );
    },
  },
  {
    name: "streaming",
    arrange: async (at) => {
      const id = await start(at.deck, "Explain the fault", "Explain the fault");
      await at.deck.goTo(at.page, id);
      await rowWith(at.page, "Nothing else in").waitFor();
    },
    clear: async ({ client }) => {
      const { sessions } = await client.call("sessions/list", { limit: 100 });
      const { id } = sessions.find(({ title }) => title === "Explain the fault")!;
      await client.command("sessions/delete", { session: id });
    },
  },
  {
    name: "permission-bash",
    arrange: async (at) => {
      await show(at, at.sessions.bash);
      await allowIn(dockOf(at.page)).waitFor();
    },
  },
  {
    name: "permission-edit",
    arrange: async (at) => {
      await show(at, at.sessions.edit);
      await allowIn(dockOf(at.page)).waitFor();
    },
  },
  {
    name: "question",
    arrange: async (at) => {
      await show(at, at.sessions.question);
      await dockOf(at.page).getByText("Which jitter").first().waitFor();
    },
  },
  {
    name: "plan",
    arrange: async (at) => {
      await show(at, at.sessions.plan);
      await dockOf(at.page).getByText("Full jitter for uploads").first().waitFor();
    },
  },
  {
    name: "died",
    arrange: async (at) => {
      await show(at, at.sessions.died);
      await at.page.getByRole("button", { name: "Resume", exact: true }).last().waitFor();
    },
  },
  {
    name: "composer",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await composerOf(at.page).fill("Look at @up");
      await at.page.getByRole("listbox").getByRole("option").first().waitFor();
    },
  },
  {
    name: "commands",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await composerOf(at.page).fill("/co");
      await at.page.getByRole("listbox").getByRole("option").first().waitFor();
    },
  },
  {
    name: "find",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await composerOf(at.page).fill("");
      await at.page.keyboard.press("Control+f");
      await at.page.locator(".find input").fill("jitter");
      await at.page
        .locator(".find")
        .getByText(/\d+ of \d+/u)
        .waitFor();
    },
  },
  {
    name: "workbench",
    deskOnly: true,
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await at.page.getByRole("button", { name: "Show workbench" }).click();
      const bench = at.page.getByRole("complementary", { name: "Workbench" });
      await bench.getByRole("tab", { name: "Overview" }).click();
      await bench.getByText("Background tasks").waitFor();
      await at.page.locator(".tool-line", { hasText: "Explore" }).click();
      await rowWith(at.page, "Jitter would part them").first().waitFor();
    },
  },
  tab("changes", "Changes"),
  tab("git", "Git"),
  tab("files", "Files"),
  tab("tasks", "Tasks"),
  tab("background", "Background"),
  tab("context", "Context"),
  tab("cost", "Cost"),
  tab("mcp", "MCP"),
  tab("hooks", "Hooks"),
  tab("wire", "Wire"),
  tab("session-settings", "Settings"),
  screen("board", "#/board", "Upload test fails"),
  screen("rules", "#/rules", "Rules"),
  screen("search-all", "#/search?q=jitter", "jitter"),
  {
    name: "palette",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await at.page.keyboard.press("Control+k");
      await at.page.getByRole("dialog").getByRole("option").first().waitFor();
    },
  },
  {
    name: "replay",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      await at.page.getByRole("main").getByRole("button", { name: "Session menu" }).click();
      await at.page.getByRole("menuitem", { name: "Replay" }).click();
      await at.page.getByRole("region", { name: "Replay" }).waitFor();
    },
  },
  {
    name: "search",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      if (at.isPhone) await at.page.getByRole("button", { name: /^Sessions/u }).click();
      const rail = at.page.getByRole("navigation", { name: "Sessions" });
      await rail.getByRole("searchbox").fill("jitter");
      await rail.locator("mark").first().waitFor();
    },
  },
  {
    name: "start",
    arrange: async ({ deck, page }) => {
      await page.goto(`${deck.server.url}/#/`);
      await page.getByRole("main").getByRole("button", { name: "New session" }).click();
      await page
        .getByRole("dialog", { name: "New session" })
        .getByLabel("Message (optional)")
        .fill("Find out why the upload test fails one time in forty.");
    },
  },
  {
    name: "settings",
    arrange: async ({ deck, page, isPhone }) => {
      await page.goto(`${deck.server.url}/#/`);
      if (isPhone) await page.getByRole("button", { name: /^Sessions/u }).click();
      await page.getByRole("button", { name: "Settings" }).first().click();
      await page.getByRole("dialog").getByRole("heading").first().waitFor();
    },
  },
];

/** Times of the server begin where the page's clock does, and its folders and names are those that are shown. */
const disguise = async (
  page: Page,
  { cwd, home }: Place,
  others: readonly (readonly [string, string])[] = [],
): Promise<void> => {
  await page.context().clock.install({ time: BEGIN });
  const names: readonly (readonly [string, string])[] = [[cwd, `${SHOWN_HOME}/code`], [home, SHOWN_HOME], ...others];
  await page.addInitScript(
    ({ folders, host, shift, from }) => {
      const { parse, stringify } = JSON;
      const seen = (value: unknown): unknown => {
        if (value === host) return "ada-desk";
        if (typeof value === "string")
          return folders
            .reduce((text, [real, shown]) => text.replaceAll(real, shown), value)
            .replaceAll(/simulated-plan-[\da-f]+/gu, "full-jitter");
        return typeof value === "number" && Math.abs(value - from) < 86_400_000 ? value + shift : value;
      };
      JSON.parse = (text: string, reviver?: (key: string, value: unknown) => unknown) =>
        parse(text, (key, value: unknown) =>
          reviver === undefined ? seen(value) : reviver(key, seen(value)),
        ) as unknown;
      JSON.stringify = ((...args: Parameters<typeof stringify>) => {
        const text = stringify(...args) as string | undefined;
        return text === undefined ? text : folders.reduce((all, [real, shown]) => all.replaceAll(shown, real), text);
      }) as typeof stringify;
    },
    { folders: names, host: hostname(), shift: BEGIN - Date.now(), from: Date.now() },
  );
};

let bytes = 0;

const shoot = async (page: Page, name: string, look: Look): Promise<void> => {
  // Colors of code come last, on a busy machine long after the rest.
  await page
    .waitForFunction(() => document.querySelector(".code-text, .diff") === null || CSS.highlights.size > 0)
    .catch(() => undefined);
  await page.waitForTimeout(900);
  const png = paletted(await page.screenshot({ animations: "disabled", caret: "hide" }));
  const file = `${name}-${look.name}.png`;
  writeFileSync(join(IMAGES, file), png);
  bytes += png.length;
  console.log(`${file} ${String(Math.round(png.length / 1000))} kB`);
};

const pattern = new RegExp(wanted, "u");
/** Without a look: in any. */
const isWanted = (name: string, look?: Look): boolean =>
  (look === undefined ? LOOKS : [look]).some((one) => pattern.test(`${name}-${one.name}`));

const prepare = async (deck: Deck): Promise<Sessions> => {
  const tools = await start(deck, "Upload test fails one time in forty", "Find out why the upload test fails", {
    settings: { allowedTools: ["Bash", "Edit"] },
  });
  const page = await deck.open();
  await deck.goTo(page, tools);
  await rowWith(page, "Green forty times").waitFor();
  await settled(page);
  await composerOf(page).fill("Review the retry");
  await composerOf(page).press("Enter");
  await rowWith(page, "It agrees").waitFor();
  await settled(page);
  const died = await start(deck, "A soak over night", "Soak it over night", { settings: { allowedTools: ["Bash"] } });
  await deck.goTo(page, died);
  await page.getByRole("button", { name: "Resume", exact: true }).last().waitFor();
  await page.context().close();
  return {
    tools,
    died,
    bash: await start(deck, "Run the tests forty times", "Run the tests"),
    edit: await start(deck, "Log the waits", "Say how long each part waited"),
    question: await start(deck, "Which jitter", "Ask what I want"),
    plan: await start(deck, "Plan the change", "Plan the change", { settings: { permissionMode: "plan" } }),
  };
};

const ofTheStory = async (): Promise<void> => {
  if (!["empty", "pairing", "offline", ...SCENES.map(({ name }) => name)].some((name) => isWanted(name))) return;
  const deck = await Deck.start({ scenario: STORY });
  try {
    const before = (page: Page): Promise<void> => disguise(page, deck.place);
    makeProject(join(deck.place.cwd, "harbor"));
    if (isWanted("empty") || isWanted("pairing"))
      for (const look of LOOKS) {
        if (!isWanted("empty", look) && !isWanted("pairing", look)) continue;
        const page = await deck.stranger({ ...look.options, before });
        await page.goto(await deck.pairingLink());
        await page.getByLabel("Device name").fill("Ada's desk");
        if (isWanted("pairing", look)) await shoot(page, "pairing", look);
        await page.getByRole("button", { name: "Pair this browser" }).click();
        await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
        if (isWanted("empty", look)) await shoot(page, "empty", look);
        await page.context().close();
      }
    const sessions = await prepare(deck);
    const pages = new Map<Look, Page>();
    for (const look of LOOKS) {
      if (!isWanted("offline", look) && !SCENES.some(({ name }) => isWanted(name, look))) continue;
      const page = await deck.open({ ...look.options, name: look.isPhone ? "Phone" : "Desk", before });
      pages.set(look, page);
      for (const { name, deskOnly = false, arrange, clear } of SCENES) {
        if (!isWanted(name, look) || (deskOnly && look.isPhone)) continue;
        await page.goto("about:blank");
        try {
          await arrange({ deck, page, sessions, isPhone: look.isPhone });
          await shoot(page, name, look);
          await clear?.(deck);
        } catch (error) {
          // If one picture cannot be taken, the others still are.
          console.error(`${name}-${look.name}: ${error instanceof Error ? error.message : String(error)}`);
          process.exitCode = 1;
        }
      }
    }
    if (!isWanted("offline")) return;
    for (const page of pages.values()) {
      await page.goto("about:blank");
      await show({ deck, page }, sessions.tools);
    }
    await deck.kill();
    for (const [look, page] of pages) {
      await page.getByRole("status").getByText("Offline").waitFor();
      await shoot(page, "offline", look);
    }
  } finally {
    await deck.end();
  }
};

/** The simulator's model asks no form; a recording does. */
const ofTheForm = async (): Promise<void> => {
  if (!isWanted("elicitation")) return;
  const folder = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const recording = join(folder, "elicitation.ndjson");
  writeFileSync(recording, ELICITATION.map((line) => JSON.stringify(line)).join("\n"));
  const args = [...programWords("quarterdeck-sim"), "--replay", recording];
  const deck = await Deck.start({ scenario: STORY, program: { command: process.execPath, args, env: {} } });
  try {
    mkdirSync(join(deck.place.cwd, "harbor"));
    const id = await start(deck, "A berth for tonight", "Book a berth");
    for (const look of LOOKS.filter((one) => isWanted("elicitation", one))) {
      const page = await deck.open({ ...look.options, before: (opened) => disguise(opened, deck.place) });
      await deck.goTo(page, id);
      await dockOf(page).getByLabel("Vessel").fill("Marigold");
      await shoot(page, "elicitation", look);
      await page.context().close();
    }
  } finally {
    await deck.end();
  }
};

interface FleetSessions {
  readonly tools: string;
  readonly edit: string;
  readonly soak: string;
}

/** The first goes into docs/images, the others only into another folder. */
const FLEET: readonly Scene<FleetSessions>[] = [
  {
    name: "fleet",
    arrange: async ({ deck, page, sessions, isPhone }) => {
      await page.goto(`${deck.server.url}/#/m/workstation/s/${sessions.edit}`);
      await allowIn(dockOf(page)).waitFor();
      if (isPhone) await page.getByRole("button", { name: /^Sessions/u }).click();
    },
  },
  screen("fleet-home", "#/", "Log the waits"),
  screen("fleet-board", "#/board", "Log the waits"),
  screen("fleet-search", "#/search?q=jitter", "workstation"),
  {
    name: "fleet-request",
    arrange: async ({ deck, page, sessions }) => {
      await page.goto(`${deck.server.url}/#/m/workstation/s/${sessions.edit}`);
      await allowIn(dockOf(page)).waitFor();
    },
  },
  {
    name: "fleet-start",
    arrange: async ({ deck, page }) => {
      await page.goto(`${deck.server.url}/#/`);
      await page.getByRole("main").getByRole("button", { name: "New session" }).click();
      const dialog = page.getByRole("dialog", { name: "New session" });
      await dialog.getByRole("combobox", { name: "Machine" }).selectOption("workstation");
      await dialog.getByLabel("Message (optional)").fill("Find out why the upload test fails.");
    },
  },
  {
    name: "fleet-away",
    arrange: async ({ deck, page, sessions }) => {
      await page.goto(`${deck.server.url}/#/m/cloud/s/${sessions.soak}`);
      await page.getByText(/^cloud is away since/u).waitFor();
    },
  },
  {
    name: "fleet-version",
    arrange: async ({ deck, page, sessions }) => {
      await page.routeWebSocket(/\/m\/workstation\/bridge$/u, (near) => {
        const far = near.connectToServer();
        near.onMessage((text) => far.send(String(text).replace('"bridge":1', '"bridge":0')));
        far.onMessage((text) => near.send(String(text).replace('"bridge":1', '"bridge":2')));
      });
      await page.goto(`${deck.server.url}/#/m/workstation/s/${sessions.edit}`);
      await page.getByText(/What both know works/u).waitFor();
    },
  },
  {
    name: "fleet-cost",
    arrange: async (at) => {
      await show(at, at.sessions.tools);
      const found = at.page.getByRole("tab", { name: /^Cost/u });
      if (!(await found.isVisible())) await at.page.getByRole("button", { name: "Show workbench" }).click();
      await found.click();
      await at.page.getByRole("tabpanel", { name: "Cost" }).getByText("All projects").click();
      await at.page.getByRole("region", { name: "Cost by machine" }).scrollIntoViewIfNeeded();
    },
  },
];

/** A laptop, a workstation, and a cloud machine that is away. */
const ofTheFleet = async (): Promise<void> => {
  const scenes = otherFolder === undefined ? FLEET.slice(0, 1) : FLEET;
  if (!scenes.some(({ name }) => isWanted(name))) return;
  const deck = await Deck.start({ scenario: STORY });
  const [hub, box, cloud] = [deck.place, makePlace(STORY), makePlace(STORY)].map((place) => new Machine(place)) as [
    Machine,
    Machine,
    Machine,
  ];
  hub.server = deck.server;
  try {
    for (const { place } of [hub, box, cloud]) makeProject(join(place.cwd, "harbor"));
    const { code } = await hub.create(await freePort(), "--name", "laptop");
    await box.start();
    await box.join(code, "workstation", "admin");
    await cloud.start();
    await cloud.join((await hub.fleet<{ code: string }>("code")).code, "cloud", "admin");
    const startOn = (machine: Machine, ...words: [title: string, prompt: string]): Promise<string> => {
      const client = machine.admin();
      return start({ client, place: machine.place }, ...words, { settings: { allowedTools: ["Bash"] } }).finally(() =>
        client.close(),
      );
    };
    const sessions: FleetSessions = {
      tools: await startOn(hub, "Upload test fails one time in forty", "Explain the fault"),
      soak: await startOn(cloud, "A soak over night", "Explain the fault"),
      edit: await startOn(box, "Log the waits", "Say how long each part waited"),
    };
    await startOn(box, "Which jitter", "Explain the fault");
    await startOn(hub, "Ask about the jitter", "Ask what I want");
    const shown = [
      [box.place.cwd, "/home/ada/work"],
      [cloud.place.cwd, "/srv/work"],
    ] as const;
    const pages = new Map<Look, Page>();
    for (const look of LOOKS.filter((one) => scenes.some(({ name }) => isWanted(name, one)))) {
      const before = (page: Page): Promise<void> => disguise(page, deck.place, shown);
      const page = await deck.open({ ...look.options, name: look.isPhone ? "Phone" : "Desk", before });
      // The page keeps the list of the machine that goes away.
      await page.waitForFunction(() => Object.values(localStorage).some((text) => text.includes("A soak over night")));
      pages.set(look, page);
    }
    await cloud.server!.stop();
    for (const [look, page] of pages)
      for (const { name, arrange } of scenes) {
        if (!isWanted(name, look)) continue;
        await page.goto("about:blank");
        try {
          await arrange({ deck, page, sessions, isPhone: look.isPhone });
          await shoot(page, name, look);
        } catch (error) {
          console.error(`${name}-${look.name}: ${error instanceof Error ? error.message : String(error)}`);
          process.exitCode = 1;
        }
      }
  } finally {
    await Promise.all([box.close(), cloud.close()]);
    await deck.end();
  }
};

mkdirSync(IMAGES, { recursive: true });
await ofTheStory();
await ofTheForm();
await ofTheFleet();
await (await workerChromium()).close();
console.log(`${String(Math.round(bytes / 1000))} kB in all`);
