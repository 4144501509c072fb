// One permission: what would be done, who asks and why, and the ways to answer. Allow, allow with rules, allow an edited
// input, deny, deny with a reason, deny and stop.

import type { Client, OpenRequest } from "@quarterdeck/client";
import { toolTitle } from "@quarterdeck/client/content";
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
} from "react";
import { modeName, NO_REASON, wantsTo } from "../words/names.ts";
import { Button } from "../parts/button.tsx";
import { Keys } from "../parts/badge.tsx";
import { hintOf, keyAt } from "../keys/key-table.ts";
import { may } from "../store/may.ts";
import { firstIn } from "../store/wanted-request.ts";
import { useArming } from "./arming.ts";
import {
  forSession,
  ownSettingsRule,
  phraseFor,
  suggestionsOf,
  updateOf,
  type Asked,
  type Input,
  type PermissionUpdate,
  type Suggestion,
} from "./asked.ts";
import { InputEditor } from "./input-editor.tsx";
import { InputView } from "./input-view.tsx";
import { mayUpdate } from "./may-update.ts";
import { useRespond } from "./respond.ts";
import { RuleChips } from "./rule-chips.tsx";
import { TrueText } from "../content/text/true-text.tsx";
import { useWhy, Why } from "./why.tsx";
import { useWritten, writtenIn } from "./written-answer.ts";

export interface CardProps {
  readonly client: Client;
  readonly session: string;
  readonly open: OpenRequest;
  /** The card as a whole: what moves it disarms it. */
  readonly card: RefObject<HTMLElement | null>;
  readonly agents: ReadonlyMap<string, string>;
  /** Where the session works. */
  readonly cwd: string | undefined;
}

type Face = "plain" | "edit" | "deny";

/** A rule that no CLI suggests. */
const OTHER_RULE: PermissionUpdate = { type: "addRules", rules: [], behavior: "allow", destination: "session" };

export const PermissionCard = ({
  client,
  session,
  open,
  card,
  agents,
  cwd,
}: CardProps & { readonly open: OpenRequest & { readonly request: Asked } }) => {
  const asked = open.request;
  const { respond, busy, error } = useRespond(client, session, open);
  const own = writtenIn(session, open.id);
  const mayAnswer = may(client, "session/respond");
  const mayChange = may(client, "session/respond", { answer: { kind: "allow", updatedInput: {} } });
  const mayEditRules = mayUpdate(client, asked, OTHER_RULE);
  const mayRule = (suggestion: Suggestion): boolean => {
    const update = updateOf(suggestion);
    return update === undefined ? mayEditRules : mayUpdate(client, asked, update);
  };
  const [face, setFace] = useWritten<Face>(own, "face", () => "plain");
  const [read, setRead] = useState(false);
  const [edited, setEdited] = useWritten<Input | undefined>(own, "input", () => asked.input);
  const [reason, setReason] = useWritten(own, "reason", () => "");
  const [suggestions, setSuggestions] = useWritten<readonly Suggestion[]>(own, "rules", () =>
    suggestionsOf(asked, cwd).filter(mayRule),
  );
  const tested = useWhy(client, session, open, suggestions);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [typed, setTyped] = useState("");
  const { armed, isArmed } = useArming(card, open.id, face);
  const onRead = useCallback(() => setRead(true), []);
  const root = useRef<HTMLDivElement>(null);
  useFocusInFace(root, face);

  const picked = suggestions.filter(({ id }) => chosen.has(id));
  const phrase = phraseFor(picked);
  const updates = picked.map(updateOf);
  const changed = face === "edit" && edited !== undefined && JSON.stringify(edited) !== JSON.stringify(asked.input);
  const ready =
    // A changed input was visible in the editor.
    (read || changed) &&
    armed &&
    mayAnswer &&
    !busy &&
    !updates.includes(undefined) &&
    (phrase === "" || typed.trim() === phrase);

  const allow = (event: SyntheticEvent, rules: readonly Suggestion[] = picked): void => {
    if (!ready || !isArmed(event.nativeEvent)) return;
    if (face === "edit" && edited === undefined) return;
    const updatedPermissions = rules.flatMap((rule) => updateOf(rule) ?? []);
    void respond({
      kind: "allow",
      ...(changed && { updatedInput: { ...edited } }),
      ...(updatedPermissions.length > 0 && { updatedPermissions }),
      ...(phrase !== "" && { confirmed: typed.trim() }),
    });
  };
  const deny = (interrupt: boolean): void => {
    if (!mayAnswer || busy) return;
    void respond({ kind: "deny", message: reason.trim() || NO_REASON, ...(interrupt && { interrupt }) });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.nativeEvent.isComposing || event.repeat) return;
    const use = (run: () => void): void => {
      event.preventDefault();
      run();
    };
    const key = keyAt("request", event);
    if (key === "request.deny") return use(() => (face === "plain" ? deny(false) : setFace("plain")));
    const typing =
      event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT|BUTTON)$/u.test(event.target.tagName);
    if (key === "request.confirm") return use(() => (face === "deny" ? deny(false) : allow(event)));
    if (typing && !(event.target instanceof HTMLButtonElement)) return;
    if (key === "request.allow" && !(event.target instanceof HTMLButtonElement) && asked.default_to_no !== true)
      use(() => allow(event));
    else if (key === "request.edit" && mayChange) use(() => setFace("edit"));
    else if (key === "request.reason") use(() => setFace("deny"));
  };

  const tool = toolTitle(asked.tool_name);
  const agent = asked.agent_id === undefined ? undefined : (agents.get(asked.agent_id) ?? asked.agent_id);
  const sessionRules = forSession(suggestions);
  const mayRemember = ready && !sessionRules.map(updateOf).includes(undefined);
  return (
    <div ref={root} className="ask-card" onKeyDown={onKey}>
      <header className="ask-top">
        <h3>
          <TrueText text={tool} />
        </h3>
        <p>
          {asked.title === undefined ? (
            `Claude ${wantsTo(asked.tool_name, "wants to use this tool")}`
          ) : (
            <TrueText text={asked.title} />
          )}
          {tool !== asked.tool_name && (
            <>
              {" · "}
              {/* Two MCP servers can have the same display name. */}
              <TrueText text={asked.tool_name} />
            </>
          )}
          {agent !== undefined && (
            <>
              {" "}
              · agent <TrueText text={agent} />
            </>
          )}
        </p>
      </header>
      {asked.blocked_path != null && asked.blocked_path !== "" && (
        <p className="ask-blocked">
          Blocked path: <TrueText text={asked.blocked_path} />
        </p>
      )}
      {face === "edit" ? (
        <InputEditor tool={asked.tool_name} input={asked.input} value={edited ?? asked.input} onChange={setEdited} />
      ) : (
        <InputView client={client} session={session} open={open} onRead={onRead} />
      )}
      <Why asked={asked} tested={tested} />
      {face === "deny" && (
        <label className="ask-field">
          <span>What should Claude do instead?</span>
          <textarea
            autoFocus
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            placeholder="Claude reads this and continues"
          />
        </label>
      )}
      {face !== "deny" && suggestions.length > 0 && (
        <RuleChips
          suggestions={suggestions}
          chosen={chosen}
          tested={tested}
          mayEdit={mayEditRules}
          may={mayRule}
          onChoose={(id, isChosen) =>
            setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((other) => other !== id)))
          }
          onChange={(rule) => setSuggestions(suggestions.map((other) => (other.id === rule.id ? rule : other)))}
        />
      )}
      {face !== "deny" && phrase !== "" && (
        <label className="ask-field ask-guard">
          <span>
            This changes <b>{phrase}</b> and lasts beyond this session. Type{" "}
            {phrase.includes(" ") ? "these names" : "its name"} to confirm.
          </span>
          <input
            ref={bringInSight}
            type="text"
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      {error !== undefined && (
        <p className="ask-problem" role="alert">
          {error}
        </p>
      )}
      <footer className="ask-acts">
        {!read && face !== "deny" && !changed && <p className="ask-unread">Scroll to the end before you allow this.</p>}
        {face === "deny" ? (
          <>
            <Button tone="main" busy={busy} disabled={!mayAnswer} onClick={() => deny(false)}>
              {reason.trim() === "" ? "Deny" : "Deny with this reason"}
            </Button>
            <Button tone="quiet" onClick={() => setFace("plain")}>
              Back
            </Button>
          </>
        ) : (
          <>
            <Button
              tone={asked.default_to_no === true ? "plain" : "main"}
              busy={busy}
              aria-disabled={!ready || undefined}
              className={ready ? "" : "ask-inert"}
              onClick={(event) => allow(event)}
            >
              {allowWords(face, picked.length > 0)}{" "}
              <Keys>{hintOf(face === "edit" ? "request.confirm" : "request.allow")}</Keys>
            </Button>
            {face === "plain" &&
              picked.length === 0 &&
              sessionRules.length > 0 &&
              asked.requires_user_interaction !== true && (
                <Button
                  className={`ask-session ${mayRemember ? "" : "ask-inert"}`}
                  aria-disabled={!mayRemember || undefined}
                  title={sessionTitle(sessionRules)}
                  onClick={(event) => {
                    if (mayRemember) allow(event, sessionRules);
                  }}
                >
                  {ownSettingsRule(asked, cwd) !== undefined && sessionRules[0]?.kind === "rule"
                    ? "Allow Claude to edit its own settings for this session"
                    : sessionWords(sessionRules)}
                </Button>
              )}
            {face === "edit" ? (
              <Button tone="quiet" onClick={() => setFace("plain")}>
                Discard changes
              </Button>
            ) : (
              mayChange && (
                <Button onClick={() => setFace("edit")}>
                  Edit <Keys>{hintOf("request.edit")}</Keys>
                </Button>
              )
            )}
            <Button
              tone={asked.default_to_no === true ? "main" : "plain"}
              disabled={!mayAnswer}
              onClick={() => setFace("deny")}
            >
              Deny… <Keys>{hintOf("request.reason")}</Keys>
            </Button>
          </>
        )}
        <Button tone="danger" className="ask-stop" disabled={!mayAnswer || busy} onClick={() => deny(true)}>
          Deny and stop
        </Button>
      </footer>
      {!mayAnswer && <p className="ask-none">This device can't answer requests.</p>}
    </div>
  );
};

/** Editing starts in the text field. Leaving the editor returns to the text of the request. */
const useFocusInFace = (root: RefObject<HTMLElement | null>, face: Face): void => {
  const was = useRef(face);
  useEffect(() => {
    if (was.current === face) return;
    was.current = face;
    const card = root.current;
    if (card === null) return;
    const editor = card.querySelector<HTMLElement>(".ask-editor");
    if (editor !== null) (editor.querySelector("textarea") ?? editor.querySelector("input"))?.focus();
    else if (document.activeElement === document.body) firstIn(card)?.focus();
  }, [root, face]);
};

/** In a full card it would come up behind the buttons, which then do nothing without a word of why. */
const bringInSight = (field: HTMLElement | null): void => field?.scrollIntoView({ block: "center" });

const allowWords = (face: Face, remembers: boolean): string =>
  `Allow${face === "edit" ? " as edited" : ""}${remembers ? " and remember" : ""}`;

/** The second button says what it does: not every suggestion is a rule for what is asked here. */
const sessionWords = ([first, ...more]: readonly Suggestion[]): string => {
  if (first?.kind === "mode")
    return `${first.text === "acceptEdits" ? "Allow all edits" : `Allow and switch to “${modeName(first.text)}”`}${more.length === 0 ? "" : ", also in this folder"}`;
  if (first?.kind === "directory") return "Allow this folder for this session";
  return more.length === 0
    ? "Allow for this session"
    : `Allow ${more.length === 1 ? "both" : `all ${more.length + 1}`} for this session`;
};

const sessionTitle = (chosen: readonly Suggestion[]): string => {
  const [mode] = chosen.filter(({ kind }) => kind === "mode");
  const added = chosen.filter(({ kind }) => kind !== "mode").map(({ text }) => text);
  const words = [
    ...(mode === undefined ? [] : [`switches this session to “${modeName(mode.text)}”`]),
    ...(added.length === 0 ? [] : [`adds ${added.join(", ")} to this session`]),
  ].join(" and ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
