// "Would this call be allowed, and why?" It answers while a person types. Nothing runs.

import type { ResultOf } from "@quarterdeck/client";
import { useState } from "react";
import { TrueText } from "../content/text/true-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { useClient } from "../store/client.tsx";
import type { RulesPlace } from "../store/route.ts";
import { useSettled } from "../store/settled.ts";
import { MODE_LIST, modeName } from "../words/names.ts";
import { placeWords } from "../words/scopes.ts";
import { callOf, PART_VERDICTS, TEST_TOOLS, VERDICTS, type Reason, type TestTool } from "./verdict.ts";
import { WORDS } from "./words.ts";
import { fill } from "../parts/fill.tsx";
import { sentence } from "../words/sentences.ts";

export interface TesterProps {
  readonly place: RulesPlace;
  readonly folder: string;
  /** The mode in which calls are tested unless another is chosen. */
  readonly mode: string;
  /** Changes when the rules change: the same call may meet another verdict. */
  readonly version: number;
}

export const Tester = ({ place, folder, mode: usual, version }: TesterProps) => {
  const client = useClient();
  const [tool, setTool] = useState<TestTool>(TEST_TOOLS[0]);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string>();
  const mode = chosen ?? usual;
  const call = callOf(tool, typed, folder);
  const key = call === undefined ? undefined : JSON.stringify([call, mode, place, version]);
  const { value, problem, isCurrent } = useSettled(key, () => client.call("rules/test", { ...place, ...call!, mode }));
  return (
    <section className="tester" aria-label={WORDS.testCall}>
      <div className="tester-in">
        <span className="tester-word">{WORDS.test}</span>
        <Menu
          className="pill"
          label={WORDS.toolIs(tool.tool)}
          heading={WORDS.tool}
          items={TEST_TOOLS.map((each) => ({
            id: each.tool,
            label: toolName(each),
            checked: each === tool,
            run: () => {
              setTool(each);
              if (each.field !== tool.field) setTyped("");
            },
          }))}
        >
          {toolName(tool)} <Icon name="down" size={13} />
        </Menu>
        <input
          className="input mono"
          aria-label={WORDS.toTest(toolName(tool))}
          placeholder={tool.hint}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || typed === "") return;
            event.preventDefault();
            setTyped("");
          }}
        />
        <Menu
          className="pill"
          label={WORDS.modeIs(modeName(mode))}
          heading={WORDS.mode}
          items={MODE_LIST.map(({ mode: each, name, about }) => ({
            id: each,
            label: name,
            detail: about,
            checked: each === mode,
            run: () => setChosen(each),
          }))}
        >
          {modeName(mode)} <Icon name="down" size={13} />
        </Menu>
      </div>
      <div className="verdict" aria-live="polite" aria-busy={key !== undefined && !isCurrent}>
        {key === undefined ? (
          <p className="verdict-none">{WORDS.testHow}</p>
        ) : problem !== undefined ? (
          <p className="bad">{problem}</p>
        ) : value === undefined ? (
          <p className="verdict-none">{WORDS.checking}</p>
        ) : (
          <Verdict tested={value} />
        )}
      </div>
    </section>
  );
};

const toolName = ({ tool }: TestTool): string => (tool === "MCP" ? WORDS.mcpTool : tool);

const Verdict = ({ tested: { behavior, reason, parts, policy } }: { readonly tested: ResultOf<"rules/test"> }) => {
  const warnings = [...new Set([...reason.warnings, ...parts.flatMap((part) => part.reason.warnings)])];
  return (
    <>
      {policy !== undefined && (
        <p className="verdict-line">
          <b className={`eff-${policy.behavior}`}>{VERDICTS[policy.behavior]}</b>
          <span>
            {policy.rule === undefined
              ? fill(WORDS.policyDecides, { policy: <TrueText text={policy.name} /> })
              : fill(WORDS.policyDecidesBy, {
                  policy: <TrueText text={policy.name} />,
                  rule: (
                    <code>
                      <TrueText text={policy.rule} />
                    </code>
                  ),
                })}
          </span>
        </p>
      )}
      <p className="verdict-line">
        <b className={`eff-${behavior}`}>{VERDICTS[behavior]}</b>
        <span>
          {parts.length === 0 ? (
            <Because reason={reason} />
          ) : parts.every((part) => part.behavior === behavior) ? (
            WORDS.partsSame
          ) : (
            WORDS.strictest
          )}
        </span>
      </p>
      {parts.length > 1 && (
        <ol className="steps">
          {parts.map((part, at) => (
            <li key={at}>
              <span className={`eff eff-${part.behavior}`}>{PART_VERDICTS[part.behavior]}</span>
              <code title={part.text}>
                <TrueText text={part.text} />
              </code>
              <span>
                <Because reason={part.reason} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {/* The whole can be stricter than its parts, for example because of a redirection. */}
      {parts.length > 1 && !parts.some((part) => part.behavior === behavior) && (
        <p>
          <Because reason={reason} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="flag">
          <Icon name="warn" size={14} />
          <span>{sentence(warning)}</span>
        </p>
      ))}
      {reason.change.map((change) => (
        <p key={change} className="verdict-change">
          {sentence(change)}
        </p>
      ))}
    </>
  );
};

const Because = ({ reason }: { readonly reason: Reason }) =>
  reason.rule === undefined
    ? sentence(reason.words)
    : fill(WORDS.by, {
        rule: (
          <code>
            <TrueText text={reason.rule} />
          </code>
        ),
        place: placeWords(reason),
      });
