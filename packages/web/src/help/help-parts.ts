// What the help page knows: a list of parts with entries, from the head of a session, its servers and the server itself. Pure.

import type { Head, ServerInfo } from "@quarterdeck/client";
import { isMcpName, mcpToolName } from "@quarterdeck/client/content";
import { flagsLackingIn, isOlder } from "@quarterdeck/client/versions";
import { commandChoices } from "../composer/slash.ts";
import { MODE_LIST } from "../words/names.ts";
import { fieldsOf, listOf, onceEach, textOf, type Fields } from "../content/fields.ts";
import { TOOL_WORDS } from "./tool-words.ts";
import { WORDS } from "./words.ts";

export interface HelpEntry {
  readonly name: string;
  readonly about: string;
}

export interface HelpPart {
  readonly id: string;
  readonly title: string;
  readonly entries: readonly HelpEntry[];
  /** Said above the entries, or in their place. */
  readonly note?: string;
  /** Names are words, not code. */
  readonly plain?: true;
}

export interface HelpSources {
  /** Head of the open session. */
  readonly head: Head | undefined;
  readonly info: ServerInfo | undefined;
  /** The version of this page. */
  readonly page: string;
  /** As the CLI answered `mcp_status`. */
  readonly servers: readonly Fields[];
}

const namesIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : undefined;

export const LATER = WORDS.later;
const NO_SESSION = WORDS.noSession;

export const helpParts = ({ head, info, page, servers }: HelpSources): readonly HelpPart[] => {
  const known = servers.length > 0 ? servers : listOf(head?.servers);
  const note = (value: unknown): { readonly note?: string } =>
    head === undefined ? { note: NO_SESSION } : value === undefined ? { note: LATER } : {};
  const commands = commandChoices(head?.commands ?? []);
  const skills = namesIn(head?.about["skills"]);
  const version = head?.cliVersion ?? info?.agent.version;
  const parts: readonly HelpPart[] = [
    {
      id: "commands",
      title: WORDS.commands,
      entries: commands.map(({ name, hint, description, aliases, own }) => ({
        name: `/${name}${hint === "" ? "" : ` ${hint}`}`,
        about: sentence([
          description,
          aliases.length > 0 ? WORDS.also(`/${aliases.join(", /")}`) : "",
          own === undefined ? "" : WORDS.opensHere,
        ]),
      })),
      ...(head === undefined ? { note: WORDS.ownCommands } : head.commands.length === 0 && { note: WORDS.notListed }),
    },
    {
      id: "tools",
      title: WORDS.tools,
      entries: toolEntries(namesIn(head?.about["tools"]), known),
      ...note(head?.about["tools"]),
    },
    {
      id: "skills",
      title: WORDS.skills,
      entries: (skills ?? []).map((name) => ({
        name,
        about: commands.find((command) => command.name === name)?.description ?? "",
      })),
      ...note(skills),
    },
    {
      id: "agents",
      title: WORDS.agents,
      entries: agentEntries(head),
      ...note(head?.about["agents"] ?? head?.about["agentTypes"]),
    },
    {
      id: "plugins",
      title: WORDS.plugins,
      entries: listOf(head?.about["plugins"]).map((plugin) => ({
        name: sentence([textOf(plugin["name"]), textOf(plugin["version"])], " "),
        about: sentence([textOf(plugin["source"]), textOf(plugin["path"])]),
      })),
      ...note(head?.about["plugins"]),
    },
    {
      id: "servers",
      title: WORDS.servers,
      entries: onceEach(known).map((server) => ({
        name: textOf(server["name"]),
        about: sentence([
          textOf(server["status"]),
          textOf(server["transport"]) || textOf(fieldsOf(server["config"])["type"]),
          sentence(
            [textOf(fieldsOf(server["serverInfo"])["name"]), textOf(fieldsOf(server["serverInfo"])["version"])],
            " ",
          ),
          textOf(server["error"]),
        ]),
      })),
      ...(head === undefined && { note: NO_SESSION }),
    },
    {
      id: "modes",
      title: WORDS.modes,
      plain: true,
      entries: MODE_LIST.map(({ name, about }) => ({ name, about: WORDS.modeAbout(about) })),
    },
    {
      id: "versions",
      title: WORDS.versions,
      plain: true,
      entries: [
        {
          name: "Claude Code",
          about: info?.agent.kind === "demo" ? WORDS.demo : (version ?? WORDS.unknown),
        },
        ...(head?.cliVersion !== undefined &&
        info?.agent.version !== undefined &&
        head.cliVersion !== info.agent.version
          ? [{ name: WORDS.onServer, about: WORDS.forNew(info.agent.version) }]
          : []),
        {
          name: WORDS.server,
          about: info === undefined ? WORDS.notConnected : WORDS.on(info.server.version, info.machine.hostname),
        },
        { name: WORDS.page, about: `Quarterdeck ${page}` },
        ...(info === undefined ? [] : [{ name: WORDS.bridge, about: String(info.bridge) }]),
      ],
      ...(info?.notice !== undefined && { note: info.notice }),
    },
    lacksPart(version),
  ];
  return parts.map(({ entries, ...part }) => ({ ...part, entries: entries.filter(({ name }) => name !== "") }));
};

const sentence = (parts: readonly string[], between = " · "): string =>
  parts.filter((part) => part !== "").join(between);

/** Tools of servers are known from the servers, before the CLI lists them. */
const toolEntries = (names: readonly string[] | undefined, servers: readonly Fields[]): readonly HelpEntry[] => {
  const ofServers = new Map(
    servers.flatMap((server) =>
      listOf(server["tools"]).map((tool) => {
        const name = textOf(tool["name"]);
        const whole = name === "" || isMcpName(name) ? name : mcpToolName(textOf(server["name"]), name);
        return [whole, textOf(tool["description"]) || WORDS.of(textOf(server["name"]))] as const;
      }),
    ),
  );
  const all = [...new Set([...(names ?? []), ...ofServers.keys()])];
  return all.map((name) => ({
    name,
    about: (Object.hasOwn(TOOL_WORDS, name) ? TOOL_WORDS[name] : ofServers.get(name)) ?? "",
  }));
};

const agentEntries = (head: Head | undefined): readonly HelpEntry[] => {
  const described = listOf(head?.about["agents"]);
  const names = new Set(described.map((agent) => textOf(agent["name"])));
  return [
    ...described.map((agent) => ({
      name: textOf(agent["name"]),
      about: sentence([textOf(agent["description"]), textOf(agent["model"])]),
    })),
    ...(namesIn(head?.about["agentTypes"]) ?? [])
      .filter((name) => !names.has(name))
      .map((name) => ({ name, about: "" })),
  ];
};

/** Flags that this page uses or offers, in words. */
const FLAG_WORDS: Readonly<Record<string, string>> = WORDS.flags;

const lacksPart = (version: string | undefined): HelpPart => {
  const title = version === undefined ? WORDS.lacks : WORDS.lacksOf(version);
  const release = /^\d+\.\d+\.\d+/u.exec(version ?? "")?.[0];
  if (release === undefined) return { id: "lacks", title, entries: [], note: WORDS.noVersion };
  const entries = [
    ...MODE_LIST.filter(({ since }) => since !== undefined && isOlder(release, since)).map(({ name, since }) => ({
      name: WORDS.mode(name),
      about: WORDS.since(since!),
    })),
    ...flagsLackingIn(release).map((flag) => ({ name: flag, about: FLAG_WORDS[flag] ?? "" })),
  ];
  return entries.length > 0
    ? { id: "lacks", title, entries, note: WORDS.newer }
    : { id: "lacks", title, entries, note: WORDS.lacksNothing };
};

/** Parts with the entries that have every word. */
export const searchParts = (parts: readonly HelpPart[], query: string): readonly HelpPart[] => {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return parts;
  return parts.flatMap((part) => {
    const entries = part.entries.filter(({ name, about }) => {
      const text = `${name} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return entries.length === 0
      ? []
      : [{ id: part.id, title: part.title, entries, ...(part.plain && { plain: true }) }];
  });
};
