// What a session offers: its own tools and those of servers, project commands and agents. The tools are loaded when the
// first turn runs.
import type { AgentInfo } from "./catalogue.ts";
import { agentsOf, builtInToolsOf, KNOWN_TOOLS } from "./facts.ts";
import { projectCommandsIn } from "./project-commands.ts";
import type { ProjectCommand } from "./project-commands.ts";
import type { Session, SessionToolbox, Tool } from "./session-contract.ts";

export class Toolbox implements SessionToolbox {
  readonly #session: Session;
  readonly #isDemo: boolean;
  #builtIn: ((name: string) => Tool) | undefined;

  constructor(session: Session, isDemo: boolean) {
    this.#session = session;
    this.#isDemo = isDemo;
  }

  async load(): Promise<void> {
    const { builtInTool } = await import("./tools/table.ts");
    this.#builtIn = builtInTool;
  }

  commands(): readonly ProjectCommand[] {
    return projectCommandsIn(this.#session.cwd, this.#session.home);
  }

  agents(): readonly AgentInfo[] {
    return agentsOf(this.#session.givenAgents);
  }

  names(): readonly string[] {
    return [
      ...builtInToolsOf(this.#session.options, this.#session.modelId, this.#isDemo),
      ...this.#session.mcp.toolNames,
    ];
  }

  find(name: string): Tool | undefined {
    const known = name === "Agent" ? "Task" : name;
    if (!this.names().includes(known)) return undefined;
    return name.startsWith("mcp__") ? this.#session.mcp.toolOf(name) : this.#builtIn?.(known);
  }

  whyMissing(name: string): string {
    if (name === "Glob")
      return ". Glob is not available in this session — find files with `find` via the Bash tool instead.";
    if (name === "Grep")
      return ". Grep is not available in this session — search file contents with `grep` via the Bash tool instead.";
    return KNOWN_TOOLS.includes(name) ? `. ${name} is disabled for this session, in subagents as well as here.` : "";
  }
}
