// A server that plays a scenario, an installed Chromium, and pages of paired browsers: what every journey begins with.
// Each page is watched from its first byte. An exception, a violation of the policy, a dialog or a request to another
// server is a trouble. A test that ends with a trouble fails.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect } from "@quarterdeck/client";
import type { Client, ParamsOf } from "@quarterdeck/client";
import type { Scenario } from "@quarterdeck/simulator";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { makePlace, startServer } from "../bridge/server-process.ts";
import type { Place, ServerProcess } from "../bridge/server-process.ts";
import { closePages, workerChromium } from "../client/launch-chromium.ts";

export const DESK = { viewport: { width: 1440, height: 900 } } as const satisfies BrowserContextOptions;
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
} as const satisfies BrowserContextOptions;

/** What a browser says of a server that was killed or is not there, whatever it was loading just then. */
export const NO_SERVER = /net::ERR_|WebSocket connection to|Failed to fetch/u;

export interface DeckOptions {
  readonly scenario: Scenario;
  /** Runs as `claude` instead of the simulator. */
  readonly program?: Parameters<typeof makePlace>[1];
  readonly flags?: readonly string[];
}

export interface OpenOptions extends BrowserContextOptions {
  readonly role?: "view" | "answer" | "operate" | "admin";
  /** What the others call it. */
  readonly name?: string;
  /** Before the page is fetched. */
  readonly before?: (page: Page) => Promise<unknown>;
}

type Start = Partial<Omit<ParamsOf<"sessions/start">, "commandId">>;

const BUILT = fileURLToPath(new URL("../../packages/web/dist/index.html", import.meta.url));

export class Deck {
  readonly place: Place;
  readonly browser: Browser;
  readonly #flags: readonly string[];
  readonly #contexts = new Set<BrowserContext>();
  readonly #kept = new Set<BrowserContext>();
  readonly #troubles: string[] = [];
  #expected: RegExp | undefined;
  #server: ServerProcess | undefined;
  #client: Client | undefined;

  private constructor(place: Place, browser: Browser, flags: readonly string[]) {
    this.place = place;
    this.browser = browser;
    this.#flags = flags;
  }

  static async start({ scenario, program, flags = [] }: DeckOptions): Promise<Deck> {
    if (!existsSync(BUILT))
      throw new Error("The page is not built: `npm run build`, or `npx vite build packages/web`.");
    const place = makePlace(scenario, program);
    const [browser, server] = await Promise.allSettled([workerChromium(), startServer(place, flags)]);
    if (browser.status === "rejected" || server.status === "rejected") {
      if (server.status === "fulfilled") await server.value.stop();
      place.remove();
      throw browser.status === "rejected" ? browser.reason : (server as PromiseRejectedResult).reason;
    }
    const deck = new Deck(place, browser.value, flags);
    deck.#server = server.value;
    return deck;
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error("The server is down.");
    return this.#server;
  }

  /** An admin that is not a browser. */
  get client(): Client {
    const { url, token } = this.server;
    return (this.#client ??= connect({
      url,
      credentials: { kind: "token", token },
      client: { name: "test", version: "1" },
    }));
  }

  async pairingLink(role: OpenOptions["role"] = "admin", name = "Desk"): Promise<string> {
    return (await this.client.command("devices/pair", { role, name })).link;
  }

  /** A page of a browser of its own, which nobody has paired. */
  async stranger({ before, ...options }: OpenOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      reducedMotion: "reduce",
      colorScheme: "dark",
      ...DESK,
      ...options,
    });
    this.#contexts.add(context);
    context.on("close", () => this.#contexts.delete(context));
    context.on("page", (page) => this.#watch(page));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
        console.error(`policy violated: ${violatedDirective} by ${blockedURI} in ${sourceFile}`),
      );
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await before?.(page);
    return page;
  }

  /** A page of a paired browser, at home. */
  async open(options: OpenOptions = {}): Promise<Page> {
    const { role = "admin", name = "Desk" } = options;
    const page = await this.stranger(options);
    await page.goto(await this.pairingLink(role, name));
    await page.getByLabel("Device name").fill(name);
    await page.getByRole("button", { name: "Pair this browser" }).click();
    await page.locator("main.main").waitFor();
    return page;
  }

  /**
   * The page as a newly paired browser shows it, at home: it remembers nothing of the tests before. That costs a fifth of another browser.
   */
  async renew(page: Page): Promise<Page> {
    await page.setViewportSize(DESK.viewport);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${this.server.url}/#/`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      // What the page would save on its way out would come back.
      Storage.prototype.setItem = () => undefined;
    });
    await page.reload();
    await page.locator("main.main").waitFor();
    return page;
  }

  async startSession(start: Start = {}): Promise<string> {
    const { session } = await this.client.command("sessions/start", { cwd: this.place.cwd, ...start });
    return session.id;
  }

  /** The page, at a new session. */
  async atSession(page: Page, start: Start = {}): Promise<string> {
    const id = await this.startSession(start);
    await this.goTo(page, id);
    return id;
  }

  /** Not before it is drawn: until then, the page shows the composer of the previous session. */
  async goTo(page: Page, session: string): Promise<void> {
    await page.goto(`${this.server.url}/#/s/${session}`);
    // Until then the session before has the page, and would take what is typed.
    await page.locator(`.deck[data-session="${session}"], .flow-failed`).waitFor();
  }

  /** As the kernel does it. */
  async kill(): Promise<void> {
    this.#client?.close();
    this.#client = undefined;
    await this.server.kill();
  }

  /** At the same address, as a supervisor does it. */
  async restart(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const { port } = new URL(this.server.url);
    this.#client?.close();
    this.#client = undefined;
    this.#server = await startServer(this.place, [...this.#flags, "--port", port], env);
  }

  /** Lines of this kind do not count as trouble until the next check. */
  expectTrouble(words: RegExp): void {
    this.#expected = words;
  }

  /** What went wrong in any page since the last look. */
  takeTroubles(): string[] {
    const expected = this.#expected;
    this.#expected = undefined;
    return this.#troubles.splice(0).filter((trouble) => expected?.test(trouble) !== true);
  }

  /** Answers to permission requests that the CLI was given, in order. */
  answersToCli(): Answer[] {
    return this.place.linesToCli().flatMap((line): Answer[] => {
      const { type, response } = line as { type?: unknown; response?: { response?: Answer } };
      const answer = type === "control_response" ? response?.response : undefined;
      return answer?.behavior === undefined ? [] : [answer];
    });
  }

  /** Texts of the prompts that the CLI was given, in order. */
  promptsToCli(): string[] {
    return this.place.linesToCli().flatMap((line): string[] => {
      const { type, message } = line as { type?: unknown; message?: { content?: unknown } };
      if (type !== "user") return [];
      const content = message?.content;
      if (typeof content === "string") return [content];
      return [(content as { text?: string }[]).map(({ text }) => text ?? "").join("\n")];
    });
  }

  /** What is open now stays open for the next test. */
  keepPages(): void {
    for (const context of this.#contexts) this.#kept.add(context);
  }

  pages(): Page[] {
    return [...this.#contexts].flatMap((context) => context.pages());
  }

  /** Ends the browsers of one test, and leaves the server to the next. */
  async closePages(): Promise<void> {
    const closed = [...this.#contexts].filter((context) => !this.#kept.has(context));
    await Promise.all(closed.map((context) => context.close()));
  }

  async end(): Promise<void> {
    this.#client?.close();
    await closePages(this.browser);
    await this.#server?.stop();
    this.place.remove();
  }

  #watch(page: Page): void {
    const trouble = (words: string): unknown => this.#troubles.push(words);
    page.on("pageerror", (error) => trouble(`exception: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") trouble(`console: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      trouble(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", (popup) => trouble(`popup: ${popup.url()}`));
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = protocol === "data:" || protocol === "blob:" || origin === new URL(this.server.url).origin;
      if (!isOwn) trouble(`request: ${request.url()}`);
    });
  }
}

export interface Answer {
  readonly behavior: "allow" | "deny";
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly updatedPermissions?: readonly Readonly<Record<string, unknown>>[];
}

/** Nothing takes that long; a busy machine may. */
const PATIENCE_MS = 60_000;
