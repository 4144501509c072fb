// A session of any length in a stated mix, always the same for the same number of rows, like weeks of work with an
// agent. In each twenty rows, one is a prompt, one the end of a turn, two are thinking, three texts (a line; paragraphs
// with a list; Markdown with headings, code and a table), and thirteen tool calls: four Bash, three Read, two Edit, and
// one each of Grep, Write, TodoWrite and Task.
import type { Fact } from "@quarterdeck/session";
import type { NewFact } from "@quarterdeck/host";

export const ROWS_A_TURN = 20;
export const CLI_SESSION = "00000000-0000-4000-b000-000000000001";
const STARTED_AT = Date.UTC(2026, 0, 5, 9);
/** Time between two turns. The rows of one turn share a second. */
const TURN_MS = 90_000;

const WORDS =
  `harbour gate tide lock crane berth pilot signal channel quay mooring draught ballast cargo manifest lantern buoy splitter queue retry
   the a of and then when where because each one that is was moves keeps opens closes waits holds reads writes again before after`.split(
    /\s+/u,
  );

/** Seeded by the turn, so that a session of 100 rows is the start of one of 10,000. */
const chanceOf = (seed: number) => {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
type Chance = ReturnType<typeof chanceOf>;

const words = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => WORDS[chance(WORDS.length)]!).join(" ");
const sentence = (chance: Chance): string => {
  const said = words(chance, 8 + chance(12));
  return `${said[0]!.toUpperCase()}${said.slice(1)}.`;
};
const sentences = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => sentence(chance)).join(" ");
const codeLine = (chance: Chance): string =>
  `  const ${WORDS[chance(15)]!} = await ${WORDS[chance(15)]!}.${WORDS[chance(15)]!}(${String(chance(1000))}); // ${words(chance, 3)}`;
const code = (chance: Chance, lines: number): string =>
  Array.from({ length: lines }, () => codeLine(chance)).join("\n");

/** Markdown as a model writes it. `mark` is in each of its blocks. */
export const markdownOf = (seed: number, mark: (block: number) => string): string => {
  const chance = chanceOf(seed);
  const row = (): string => `| ${words(chance, 2)} | ${String(chance(100))} | ${words(chance, 4)} |`;
  return [
    `## ${mark(0)} ${words(chance, 4)}`,
    `${mark(1)} ${sentences(chance, 2)} It is **${words(chance, 2)}**, see \`src/${words(chance, 1)}.ts\`. ${sentence(chance)}`,
    `\`\`\`ts\n// ${mark(2)}\nexport const ${WORDS[chance(15)]!} = async () => {\n${code(chance, 6)}\n};\n\`\`\``,
    `- ${mark(3)} ${sentence(chance)}\n- ${sentence(chance)}\n- _${words(chance, 3)}_: ${sentence(chance)}`,
    `| ${mark(4)} | count | what |\n| --- | ---: | --- |\n${row()}\n${row()}\n${row()}`,
    `${mark(5)} ${sentences(chance, 3)}`,
  ].join("\n\n");
};

/** The facts of one turn: what the CLI writes and what is written to it. */
const factsOfTurn = (turn: number, cwd: string): Fact[] => {
  const chance = chanceOf(turn + 1);
  let made = 0;
  const id = (): string => `${String(turn).padStart(8, "0")}-0000-4000-a000-${String(made++).padStart(12, "0")}`;
  const received = (message: object): Fact => ({ type: "received", message: message as never });
  const said = (content: object): Fact =>
    received({
      type: "assistant",
      uuid: id(),
      session_id: CLI_SESSION,
      parent_tool_use_id: null,
      message: {
        id: `msg_${String(turn)}_${String(made)}`,
        type: "message",
        role: "assistant",
        model: "claude-opus-4-6",
        content: [content],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10 + chance(90), output_tokens: 20 + chance(400) },
      },
    });
  const tool = (name: string, input: object, content: string, structured: object): Fact[] => {
    const toolUseId = `toolu_${String(turn)}_${String(made)}`;
    return [
      said({ type: "tool_use", id: toolUseId, name, input }),
      received({
        type: "user",
        uuid: id(),
        session_id: CLI_SESSION,
        parent_tool_use_id: null,
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: toolUseId, content }] },
        tool_use_result: structured,
      }),
    ];
  };
  const file = (): string => `${cwd}/src/${WORDS[chance(15)]!}/${WORDS[chance(15)]!}.ts`;
  const bash = (): Fact[] => {
    const stdout = Array.from({ length: 2 + chance(12) }, () => `${String(chance(9999))} ${words(chance, 6)}`).join(
      "\n",
    );
    const input = {
      command: `npm test -- ${WORDS[chance(15)]!} --seed ${String(chance(999))}`,
      description: sentence(chance),
    };
    return tool("Bash", input, stdout, { stdout, stderr: "", interrupted: false, isImage: false });
  };
  const read = (): Fact[] => {
    const [path, lines] = [file(), 8 + chance(20)];
    const content = code(chance, lines);
    const numbered = content.split("\n").map((line, at) => `${String(at + 1).padStart(6)}\t${line}`);
    const shown = { filePath: path, content, numLines: lines, startLine: 1, totalLines: lines };
    return tool("Read", { file_path: path }, numbered.join("\n"), { type: "text", file: shown });
  };
  const edit = (): Fact[] => {
    const path = file();
    const [before, old, fresh, after] = [codeLine(chance), codeLine(chance), code(chance, 2), codeLine(chance)];
    const lines = [` ${before}`, `-${old}`, ...fresh.split("\n").map((line) => `+${line}`), ` ${after}`];
    const hunk = { oldStart: 10, oldLines: 3, newStart: 10, newLines: 4, lines };
    return tool("Edit", { file_path: path, old_string: old, new_string: fresh }, `The file ${path} has been updated.`, {
      filePath: path,
      oldString: old,
      newString: fresh,
      originalFile: null,
      structuredPatch: [hunk],
      userModified: false,
      replaceAll: false,
    });
  };
  const write = (): Fact[] => {
    const [path, content] = [file(), `${code(chance, 10)}\n`];
    const created = { type: "create", filePath: path, content, structuredPatch: [], originalFile: null };
    return tool("Write", { file_path: path, content }, `File created successfully at: ${path}`, created);
  };
  const grep = (): Fact[] => {
    const content = Array.from(
      { length: 3 + chance(5) },
      () => `${file()}:${String(chance(300))}:${codeLine(chance)}`,
    ).join("\n");
    const input = { pattern: WORDS[chance(15)]!, output_mode: "content", "-n": true };
    return tool("Grep", input, content, { mode: "content", filenames: [], content, numLines: 3, numFiles: 0 });
  };
  const todos = (): Fact[] => {
    const newTodos = ["completed", "in_progress", "pending", "pending"].map((status) => ({
      content: words(chance, 5),
      status,
      activeForm: words(chance, 5),
    }));
    return tool("TodoWrite", { todos: newTodos }, "Todos have been modified successfully.", { oldTodos: [], newTodos });
  };
  const task = (): Fact[] => {
    const [prompt, text] = [sentences(chance, 2), sentences(chance, 4)];
    const content = [{ type: "text", text }];
    const input = { description: words(chance, 3), prompt, subagent_type: "general-purpose" };
    const done = {
      status: "completed",
      agentId: `a${String(turn)}`,
      prompt,
      content,
      totalDurationMs: 4200,
      totalTokens: 900,
    };
    return tool("Task", input, text, { ...done, totalToolUseCount: 2 });
  };
  const text = (markdown: string): Fact => said({ type: "text", text: markdown });
  const think = (): Fact => said({ type: "thinking", thinking: sentences(chance, 3 + chance(6)), signature: "" });
  const uuid = id();
  const prompt = sentences(chance, 1 + chance(3));
  return [
    { type: "prompt-accepted", uuid, content: prompt },
    { type: "sent", message: { type: "user", uuid, message: { role: "user", content: prompt } } as never },
    think(),
    text(sentence(chance)),
    ...[...grep(), ...read(), ...read(), ...bash()],
    think(),
    ...[...edit(), ...bash(), ...todos()],
    text(`${sentences(chance, 3)}\n\n- ${sentence(chance)}\n- ${sentence(chance)}\n\n${sentence(chance)}`),
    ...[...read(), ...edit(), ...write(), ...bash(), ...task(), ...bash()],
    text(markdownOf(turn + 1, () => words(chance, 1))),
    received({
      type: "result",
      subtype: "success",
      is_error: false,
      uuid: id(),
      session_id: CLI_SESSION,
      result: "",
      duration_ms: 60_000 + chance(60_000),
      duration_api_ms: 50_000,
      num_turns: 17,
      total_cost_usd: (turn + 1) / 10,
      usage: { input_tokens: 1000 + chance(9000), output_tokens: 500 + chance(2000) },
      modelUsage: {},
      permission_denials: [],
    }),
  ];
};

export const factsOfSession = function* (rows: number, cwd: string): Generator<readonly NewFact[]> {
  for (let turn = 0; turn * ROWS_A_TURN < rows; turn += 1)
    yield factsOfTurn(turn, cwd).map((fact, index) => ({ at: STARTED_AT + turn * TURN_MS + index * 1000, fact }));
};
